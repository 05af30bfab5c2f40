"""What the explorers share in which a text is typed and Python answers."""

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
