"""The GPT that a learner has written: solved exercises, put together and proven."""
