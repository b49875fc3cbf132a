"""One control plane: lists, their order, pages and filters."""

from urllib.parse import parse_qs, quote, urlencode, urlsplit

from support import FleetTest, documents, main


class Lists(FleetTest):
    def page(self, mesh, **query):
        return self.central.rest.get(documents.path("MeshTimeout", mesh=mesh) + "?" + urlencode(query)).json

    def mesh_with(self, names, labels=None):
        mesh = self.fresh_mesh()
        for name in names.split():
            self.central.put(documents.timeout(mesh, name, labels=labels))
        return mesh

    def names_of(self, page):
        return [item["name"] for item in page["items"]]

    def test_an_empty_list(self):
        self.assertEqual(self.page(self.fresh_mesh()), {"total": 0, "items": [], "next": None})

    def test_the_order_is_that_of_the_bytes_of_the_names(self):
        page = self.page(self.mesh_with("b a c-1 c.1 a-1 10 9"))
        self.assertEqual(self.names_of(page), ["10", "9", "a", "a-1", "b", "c-1", "c.1"])
        self.assertEqual(page["total"], 7)

    def test_pages_cover_everything_without_gaps_or_repeats(self):
        mesh = self.mesh_with("a b c d e")
        names, sizes, query = [], [], {"size": "2"}
        while True:
            page = self.page(mesh, **query)
            self.assertEqual(page["total"], 5)
            names += self.names_of(page)
            sizes.append(len(page["items"]))
            if page["next"] is None:
                break
            link = urlsplit(page["next"])
            where = ("http", f"127.0.0.1:{self.central.rest.port}", documents.path("MeshTimeout", mesh=mesh))
            self.assertEqual((link.scheme, link.netloc, link.path), where)
            query = {key: values[0] for key, values in parse_qs(link.query).items()}
            self.assertEqual(query["size"], "2")
        self.assertEqual((names, sizes), (list("abcde"), [2, 2, 1]))

    def test_a_last_page_that_is_full_has_no_next(self):
        mesh = self.mesh_with("a b c d")
        offset = parse_qs(urlsplit(self.page(mesh, size=2)["next"]).query)["offset"][0]
        last = self.page(mesh, size=2, offset=offset)
        self.assertEqual((self.names_of(last), last["next"]), (["c", "d"], None))

    def test_a_page_is_not_moved_by_an_edit_before_it(self):
        mesh = self.mesh_with("b c d e")
        offset = parse_qs(urlsplit(self.page(mesh, size=2)["next"]).query)["offset"][0]
        self.central.put(documents.timeout(mesh, "a"))
        self.central.delete("MeshTimeout", "b", mesh)
        self.central.delete("MeshTimeout", "c", mesh)
        self.assertEqual(self.names_of(self.page(mesh, size=2, offset=offset)), ["d", "e"])

    def test_without_a_size_a_page_has_a_hundred(self):
        mesh = self.mesh_with(" ".join(f"p-{n:03}" for n in range(101)))
        page = self.page(mesh)
        self.assertEqual((len(page["items"]), page["total"]), (100, 101))
        self.assertEqual(len(self.page(mesh, size=0)["items"]), 101)

    def test_names_are_filtered_by_a_part(self):
        page = self.page(self.mesh_with("web-slow api-slow web-fast"), name="slow")
        self.assertEqual((self.names_of(page), page["total"]), (["api-slow", "web-slow"], 2))

    def test_labels_are_filtered_by_their_whole_value_and_together(self):
        mesh = self.fresh_mesh()
        for name, team, tier in (("a", "red", "1"), ("b", "red", "2"), ("c", "redder", "1")):
            self.central.put(documents.timeout(mesh, name, labels={"team": team, "tier": tier}))
        self.assertEqual(self.names_of(self.page(mesh, **{"filter[labels.team]": "red"})), ["a", "b"])
        both = {"filter[labels.team]": "red", "filter[labels.tier]": "1"}
        self.assertEqual(self.names_of(self.page(mesh, **both)), ["a"])
        self.assertEqual(self.page(mesh, **{"filter[labels.team]": "blue"})["total"], 0)
        slashed = self.page(mesh, **{"filter[labels.kuma.io/mesh]": mesh, "size": 1})
        self.assertEqual((slashed["total"], len(slashed["items"])), (3, 1))

    def test_bad_pages_and_filters_are_refused(self):
        mesh = self.fresh_mesh()
        path = documents.path("MeshTimeout", mesh=mesh)
        for query in ("size=many", "size=1001", "offset=x", "filter[name]=a", "filter[labels.a][not]=b", "filter[labels.a=b"):
            with self.subTest(query):
                answer = self.central.rest.get(f"{path}?{quote(query, safe='=')}")
                self.assert_refused(answer, 400, "Could not retrieve resources")
        too_large = self.central.rest.get(f"{path}?size=1001").violations()
        self.assertEqual(too_large, {"size": "invalid page size of 1001. Maximum page size is 1000"})
        self.assertEqual(self.central.rest.get(f"{path}?size=many").violations(), {"size": "invalid format"})

    def test_a_list_over_all_meshes_is_sorted_by_mesh_then_name(self):
        meshes = sorted([self.fresh_mesh(), self.fresh_mesh()])
        for mesh in reversed(meshes):
            self.central.put(documents.timeout(mesh, "everywhere"))
        items = self.central.rest.get("/meshtimeouts?name=everywhere").json["items"]
        self.assertEqual([(i["mesh"], i["name"]) for i in items], [(mesh, "everywhere") for mesh in meshes])

    def test_a_list_in_an_unknown_mesh_is_not_found(self):
        answer = self.central.rest.get("/meshes/no-such-mesh/meshtimeouts")
        self.assert_refused(answer, 404, "Failed to retrieve Mesh")

    def test_every_type_that_is_described_has_a_list(self):
        for entry in self.central.rest.get("/_resources").json["resources"]:
            with self.subTest(entry["name"]):
                answer = self.central.rest.get("/" + entry["path"])
                self.assertEqual(answer.status, 200)
                self.assertIsInstance(answer.json["items"], list)


if __name__ == "__main__":
    main()
