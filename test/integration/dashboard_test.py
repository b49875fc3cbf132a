"""Every panel of the Grafana dashboard has data: each metric that it asks for exists after some traffic."""

import json
import re

from support import ROOT, FleetTest, documents, main

WORD = re.compile(r"[a-z][a-z0-9_]*(?=\{)")  # the names in front of the label filters


class Dashboard(FleetTest):
    ZONES = ("east",)

    def names_of(self, plane):
        lines = plane.diagnostics.get("/metrics").text.splitlines()
        return {re.split(r"[{ ]", line)[0] for line in lines if line and not line.startswith("#")}

    def test_every_panel_has_data(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "t"))
        self.east.put(documents.dataplane(mesh, "dp"))
        self.until(lambda: self.central.items("Dataplane", mesh), "both directions were used")
        dashboard = json.loads((ROOT / "config/grafana-dashboard.json").read_text())
        panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
        self.assertGreater(len(panels), 15)
        for panel in panels:
            wanted = set().union(*(WORD.findall(target["expr"]) for target in panel["targets"]))
            self.assertTrue(wanted, panel["title"])
            self.until(lambda: wanted <= self.names_of(self.central), f"data of {panel['title']}: {wanted}")
        ids = [panel["id"] for panel in dashboard["panels"]]
        self.assertEqual(len(ids), len(set(ids)))

    def test_what_a_batch_costs_is_seen_under_both_names(self):
        changes = ("kds_delta_generation_count", "kds_generation_count")
        before = [self.central.metric(name, 'reason="event"') or 0 for name in changes]
        self.central.put(documents.timeout(self.fresh_mesh(), "t"))
        for name, count in zip(changes, before):
            self.until(lambda: (self.central.metric(name, 'reason="event"') or 0) > count, f"{name} rises")


if __name__ == "__main__":
    main()
