"""What the explorers share in which a text is typed and Python answers."""

import time

import traitlets

from tutorial_lib.explorers.base import BrowserExplorer
from tutorial_lib.tokenizers.vocabulary import without_half_pairs


class AskingExplorer(BrowserExplorer):
    """A text box and controls whose state is one request; each request has one reply.

    Both carry a number, so that the browser can drop an answer that was overtaken. Subclasses
    define `answer(**request) -> dict`; an error in it is shown as {"error": ...} and not lost,
    since any model and tokenizer may be handed in.
    """

    limit = traitlets.Int(500).tag(sync=True, told=True)  # characters of text that are kept
    request = traitlets.Dict().tag(sync=True)  # written by the browser
    reply = traitlets.Dict().tag(sync=True, told=True)

    def __init__(self, text, **controls):
        request = {"number": 0, "text": self._clean(text), **controls}
        super().__init__(request=request)
        self.reply = self._reply(request)
        self.observe(self._on_request, names="request")

    @property
    def text(self):
        """The text that is answered now; setting it moves the explorer."""
        return self.request["text"]

    @text.setter
    def text(self, text):
        self.ask(text=self._clean(text))

    def ask(self, **changes):
        """Ask anew, with some of the request changed."""
        self.request = {**self.request, **changes, "number": self.request["number"] + 1}

    def answer(self, **request):
        """Return what the browser is to show, as JSON takes it."""
        raise NotImplementedError("an AskingExplorer defines answer(**request)")

    def _on_request(self, change):
        self.reply = self._reply(change["new"])

    def _reply(self, request):
        request = dict(request)
        number = request.pop("number", 0)
        request["text"] = self._clean(request.get("text", ""))
        try:
            return {"number": number, **self.answer(**request)}
        except Exception as error:
            return {"number": number, "error": f"{type(error).__name__}: {error}"}

    def _clean(self, text):
        return without_half_pairs(str(text)[: self.limit])


class FindingExplorer(AskingExplorer):
    """An AskingExplorer that looks something up: how many results, and how long it took.

    n is kept from 1 to `most`, the text cut at 300 characters. Subclasses define
    `look_up(text, n, **request) -> dict`, the reply but for its milliseconds.
    """

    most = 20

    def __init__(self, text, n, **controls):
        self.limit = 300
        super().__init__(text, n=self._number(n), **controls)

    def look_up(self, text, n, **request):
        """Return what is found, as JSON takes it."""
        raise NotImplementedError("a FindingExplorer defines look_up(text, n, **request)")

    def answer(self, text, n, **request):
        """Look up the text, and say how long that took."""
        started = time.perf_counter()
        reply = self.look_up(text, self._number(n), **request)
        return reply | {"milliseconds": round(1000 * (time.perf_counter() - started))}

    def _number(self, n):
        return min(max(int(n), 1), self.most)
