"""`pi-mcp serve --http` in a home of its own, for the tests of its clients."""
import os
import re
import select

from cli_home import WAIT_SECONDS, CliTest, fake
from http_client import Client


class HttpTest(CliTest):
    def serve(self, *options, address="127.0.0.1:0", **servers):
        self.home.configure(**(servers or {"fake": fake()}))
        return self.start(*options, address=address)

    def start(self, *options, address="127.0.0.1:0"):
        """With the configuration that is there."""
        self.process = self.home.start("serve", "--http", address, *options)
        self.addCleanup(self.end)
        text = self.until_said("ctrl-C")
        found = re.search(r"https?://(\S+)/mcp,", text)
        self.address = found[1] if found else address
        return self.address

    def until_said(self, part):
        text = ""
        while part not in text:
            ready, _, _ = select.select([self.process.stderr], [], [], WAIT_SECONDS)
            self.assertTrue(ready, text)
            got = os.read(self.process.stderr.fileno(), 65536).decode()
            self.assertTrue(got, text)
            text += got
        return text

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=WAIT_SECONDS)

    def client(self, **options):
        client = Client(self.address, **options)
        self.addCleanup(client.close)
        return client

    def session(self, **options):
        client = self.client(**options)
        answer = client.initialize()
        self.assertEqual(answer.status, 200, answer.body)
        return client

    def check(self, answer, status, part):
        self.assertEqual(answer.status, status, answer.body)
        self.assertIn(part, answer.body)
