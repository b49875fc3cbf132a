"""Authorities and certificates for tests, made with the openssl program."""

import subprocess


class Authority:
    """A certificate authority of one test, with its files in a directory."""

    def __init__(self, directory, name="authority"):
        self.directory = directory
        self.name = name
        self.certificate = directory / f"{name}.crt"
        self.key = directory / f"{name}.key"
        self._openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                      "-keyout", self.key, "-out", self.certificate)

    def issue(self, name, *, file=None, server=False):
        """Certificate and key for a zone, or for a server on this machine. The files are replaced as a whole."""
        stem = self.directory / (file or f"{self.name}-{name}")
        names = "subjectAltName=DNS:localhost,IP:127.0.0.1" if server else f"subjectAltName=DNS:{name}"
        new_key, request, extension, new_certificate = (f"{stem}.{end}" for end in ("key.new", "csr", "ext", "crt.new"))
        with open(extension, "w") as out:
            out.write(names + "\n")
        self._openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", new_key, "-out", request)
        self._openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial",
                      "-days", "2", "-extfile", extension, "-out", new_certificate)
        certificate, key = stem.with_name(stem.name + ".crt"), stem.with_name(stem.name + ".key")
        subprocess.run(["mv", new_key, key], check=True)
        subprocess.run(["mv", new_certificate, certificate], check=True)
        return certificate, key

    @staticmethod
    def _openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
