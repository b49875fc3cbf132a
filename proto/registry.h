// Makes every message of the wire and of the resource specs findable by name in the generated descriptor pool.
#pragma once

/// Keeps the generated code of every .proto file in a statically linked program and registers its messages, so that
/// `DescriptorPool::generated_pool()->FindMessageTypeByName` finds them although nothing else names their classes.
/// Cheap, callable from any thread and as often as wanted.
void kdsd_link_protos();
