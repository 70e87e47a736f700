"""Drives a headless Chromium over a pair of pipes (--remote-debugging-pipe), with the standard
library only. Opens pages, evaluates expressions, and notes every message, error and request."""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync',
         '--disable-dev-shm-usage', '--disable-default-apps', '--disable-extensions',
         '--remote-debugging-pipe']


class Browser:
    # a bit more than two frames: effects of a change of size or setting have been drawn
    SETTLED = 'new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => ' \
              'setTimeout(r, 50))))'

    def __init__(self, program, limit=60):
        self.profile = tempfile.mkdtemp(prefix='corun-html-')
        self.limit, self.n, self.buffer, self.events = limit, 0, b'', []
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()

        def place():  # the browser reads from 3 and writes to 4
            a, b = os.dup(to_read), os.dup(back_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, *FLAGS, '--user-data-dir=' + self.profile, 'about:blank'],
            close_fds=False, pass_fds=(), preexec_fn=place, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(back_write)
        target = self.ask('Target.createTarget', url='about:blank')['targetId']
        self.session = None
        self.session = self.ask('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for part in ('Page', 'Runtime', 'Log', 'Network'):
            self.ask(part + '.enable')

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, until):
        while b'\0' not in self.buffer:
            left = until - time.monotonic()
            assert left > 0 and select.select([self.back], [], [], left)[0], 'no answer in time'
            got = os.read(self.back, 1 << 20)
            assert got, 'the browser has ended'
            self.buffer += got
        message, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(message)

    def ask(self, method, **params):
        self.n += 1
        message = {'id': self.n, 'method': method, 'params': params}
        if getattr(self, 'session', None):
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        until = time.monotonic() + self.limit
        while True:
            answer = self.receive(until)
            if answer.get('id') == self.n:
                assert 'error' not in answer, '%s: %s' % (method, answer['error'])
                return answer['result']
            self.events.append(answer)

    def size(self, width, height=900):
        self.ask('Emulation.setDeviceMetricsOverride', width=width, height=height,
                 deviceScaleFactor=1, mobile=False)

    def scheme(self, scheme, media=''):
        """Sets light or dark, screen ('') or print; returns after the page has been redrawn."""
        self.ask('Emulation.setEmulatedMedia', media=media,
                 features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        self.value(self.SETTLED)

    def open(self, path):
        self.events = []
        self.ask('Page.navigate', url='file://' + os.path.abspath(path))
        until = time.monotonic() + self.limit
        while not any(e.get('method') == 'Page.loadEventFired' for e in self.events):
            self.events.append(self.receive(until))
        self.value(self.SETTLED)

    def value(self, expression):
        answer = self.ask('Runtime.evaluate', expression=expression, awaitPromise=True,
                          returnByValue=True)
        assert 'exceptionDetails' not in answer, answer['exceptionDetails']
        return answer['result'].get('value')

    def complaints(self):
        """Console messages, errors, and requests for anything but the page itself."""
        for e in self.events:
            method, p = e.get('method'), e.get('params', {})
            if method == 'Runtime.exceptionThrown':
                yield 'exception: ' + json.dumps(p['exceptionDetails'])[:400]
            elif method == 'Runtime.consoleAPICalled':
                yield 'console: ' + json.dumps(p['args'])[:400]
            elif method == 'Log.entryAdded':
                yield 'log: ' + p['entry'].get('text', '')
            elif method == 'Network.requestWillBeSent':
                url = p['request']['url']
                if not url.startswith(('file:', 'data:')) or p['type'] != 'Document':
                    yield 'request: ' + url
