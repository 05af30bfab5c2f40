# %% [markdown]
# # 10 · Text and pictures together
#
# **You will be able to**
#
# - put pictures and texts into one space, train it in seconds, and search pictures by typing
# - make a classifier out of nothing but words, and say where it will fail
# - build a model that reads words and regions in one row, and test whether it looks where it should
# - turn pictures into tokens, let a GPT write them, and judge what it wrote
#
# **Reading and exercises:** about 190 minutes, 70 of them for reading  
# **Running:** about 2 minutes on two CPU cores, at most 1.6 GB of memory  
# **Stopping points:** [after 10E, you can search and sort pictures by words](#10E-Where-it-fails), [after 10H, you know both ways to join text and pictures](#10H-Ask-about-a-picture)  
# **Prerequisites:** chapters 05, 06 and 07  
# **Neighbours:** [09 Beyond plain ViT](09_beyond_vit.ipynb)

# %%
@@imports@@

# %% [markdown]
# ## 10A What is this called?
#
# Here are 599 emoji. The model behind the box has never been shown any of them, and nobody has told it what they are called. Type what you are looking for, in your own words.

# %%
finder = load_emoji_finder()
unseen = load_named_emoji(size=64).test
EmojiFinder(finder.find, unseen.images, unseen.names)

# %% [markdown]
# Now ask for something that is nobody's name: *it might rain*, *a place to sleep*, *I have lost my way*.
#
# The model has two halves. One reads your phrase; the other has looked at the pictures; neither knows of the other. They agree because they were trained to: they were shown *other* emoji and *their* names, and had to say which goes with which. That is **CLIP** (Radford et al. 2021: *contrastive language–image pre-training*), the first half of this chapter. After it come models that read words and pictures *in one row*, and one that *writes* pictures.
#
# How good is it? Take each of the 599, and ask for it by its name. In what share of the cases is the picture among the first **five** answers? With your eyes shut it would be 5 in 599, or 0.008.

# %%
predict("P10.1", None)

# %%
emoji_clip = load_result("emoji-clip")


def means(rows, value, *by):
    """Return the mean of a column over the seeds: a dict of combinations of `by` -> mean."""
    return {key: found["mean"] for key, found in summarise(rows, by, value).items()}


recall_of = means(emoji_clip["rows"], "pictures_of_texts_at_5", "way")
reveal("P10.1", round(recall_of["linear heads",], 2))

# %% [markdown]
# @@after_p1@@

# %% [markdown]
# ## Recall
#
# Three questions from the chapters before. Put your answer in place of `None`. In every exercise below, `hint("10.1")` helps and `solution("10.1")` shows one way (both are in `tutorial_lib.exercises`).
#
# @@recall@@

# %%
recall("R10.1", None)
recall("R10.2", None)
recall("R10.3", None)

# %% [markdown]
# ## 10B Two encoders, one space
#
# Take N pictures and their N names. A **picture encoder** turns each picture into a vector, a **text encoder** each name; two linear maps, the *heads*, bring both to one width. Now compare every picture with every name: N² cosines, one table. This is the table of eight emoji before anything was trained:

# %%
train_names, train_pictures = finder.stored("train")  # what MiniLM and DINOv2 made of them
emoji = load_named_emoji(size=64).train
EIGHT = [emoji.names.index(name) for name in @@eight@@]
set_seed(SEED)
heads = TwoHeads(d_text=384, d_image=384, d_joint=256)


@torch.no_grad()
def show_logits(heads):
    """Draw all eight pictures with all eight names."""
    logits = heads(train_names[EIGHT], train_pictures[EIGHT])
    names = [emoji.names[row] for row in EIGHT]
    figures.show(
        figures.logit_matrix(emoji.images[EIGHT], names, logits),
        alt=figures.describe_logit_matrix(names, logits),
    )


show_logits(heads)

# %% [markdown]
# What belongs together is on the diagonal (framed). It should be the largest of its row *and* of its column. First, the table itself:

@@10.1@@

# %% [markdown]
# Now read the table twice. **Along a row**: one picture, N names. A softmax over the row turns it into a question of chapter 05's kind: *which of these N names is next to this picture?* The loss is the cross-entropy with the right answer on the diagonal. **Down a column**: one name, N pictures, the same question the other way round. CLIP takes the mean of both:
#
# $$L = \tfrac{1}{2}\Big(-\tfrac{1}{N}\sum_i \log \text{softmax}_{\text{row } i}(i) \;-\; \tfrac{1}{N}\sum_j \log \text{softmax}_{\text{column } j}(j)\Big)$$
#
# The other names of the batch are the wrong answers. Nobody had to collect them.

@@10.2@@

# %% [markdown]
# **Train it.** MiniLM has read the names and DINOv2 has looked at the pictures, once; both stay as they are. What learns is two matrices and one number. Watch the loop: it is all there is.

# %%
all_pairs, loss_of = yours_or("10.1", cosines_times_scale), yours_or("10.2", contrastive_loss)
concepts = concept_numbers(emoji.concepts)
optimizer = torch.optim.AdamW(heads.parameters(), lr=1e-3, weight_decay=1e-2)
losses = []
for _ in range(200):
    rows = one_a_concept(concepts)[:512]  # no two skin tones of one hand in a batch
    images, texts = heads.image_head(train_pictures[rows]), heads.text_head(train_names[rows])
    loss = loss_of(all_pairs(images, texts, heads.log_scale))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"loss {losses[0]:.2f} at first (ln 512 = {math.log(512):.2f}), {losses[-1]:.2f} in the end")
assert losses[-1] < 0.6 * losses[0]

# %%
heads.eval()
show_logits(heads)

# %% [markdown]
# These eight it has seen. What about the 599 that it has not? For each name, we look where its picture comes in the list.

@@10.4@@

@@10.3@@

# %% [markdown]
# ## 10C What is it worth to have read before?
#
# Recall at 5 on the unseen emoji, three seeds. *From scratch* is a small CLIP of our own, a ViT and a text encoder that know nothing but these 3,046 pairs. *Shuffled names* is the control that must fail: the same heads, but each picture learned with another one's name. *Another tone* is the one that must succeed: unseen pictures of *seen* concepts, in a skin tone that was left out.

# %%
ways = {name: [] for name in ("another tone", "linear heads", "hidden layer", "from scratch", "shuffled names")}
for row in emoji_clip["rows"]:
    ways[row["way"]].append(row["concepts_of_texts_at_5"])
chance = emoji_clip["rows"][0]["concepts_chance_at_5"]
panels = {"recall at 5: a name finds its picture": ways}
figures.show(
    figures.seed_dots(panels, "Encoders that have read before", chance=chance, lit=["linear heads"]),
    alt=figures.describe_seed_dots(panels),
)

# %% [markdown]
# @@after_ways@@
#
# **How many wrong answers does it take?** The batch is also the list of wrong answers. Each of these trainings saw 40,000 pictures:

# %%
by_size = summarise(emoji_clip["batches"], ["batch_size"], "concepts_of_texts_at_5")
sizes = [size for (size,) in by_size]
figures.show(
    figures.line_chart(
        {"a name finds its picture": (sizes, [by_size[size,]["mean"] for size in sizes])},
        "pictures in a batch",
        "recall at 5",
        @@batch_title@@,
        bands={
            "a name finds its picture": (
                [by_size[size,]["lowest"] for size in sizes],
                [by_size[size,]["highest"] for size in sizes],
            )
        },
        log_x=True,
    ),
    alt="Recall at 5 over the size of a batch: "
    + ", ".join(f"{size}: {by_size[size,]['mean']:.2f}" for size in sizes),
)

# %% [markdown]
# @@after_batches@@
#
# **And the one number?** Cosines lie between -1 and 1. A softmax of such numbers is nearly flat, so CLIP multiplies by a learned scale, which is 1 over the *temperature* (chapter 05). It starts at 14, and it may not exceed 100. Why not? Somebody forgot the second half:

@@10.6@@

# %% [markdown]
# **The machine.** This is CLIP, drawn from our own small one, from a pass with three pictures and three texts. The text encoder is a GPT without its output: since it only looks back, the last token has seen the whole text, and stands for it.

# %%
small = CLIPConfig(
    image_size=64, patch_size=16, d_image=64, n_image_layers=2, n_image_heads=4, vocab_size=100,
    context=8, d_model=64, n_layers=2, n_heads=4, d_joint=32, end_id=99,
)  # fmt: skip
clip = small.build().eval()
three, ids = emoji.images[EIGHT[:3]], torch.tensor([[1, 2, 3, 99], [4, 5, 6, 99], [7, 8, 9, 99]])
figures.show(
    figures.clip_towers(clip, three, ids, [emoji.names[row] for row in EIGHT[:3]]),
    alt=figures.describe_clip_towers(clip),
)
print(f"published, patches of 32: {count_parameters(CLIPConfig.published('B/32')):,} parameters")

# %% [markdown]
# ## 10D Classes out of words
#
# To sort pictures into classes, chapter 07 needed labels. Here is a classifier without a single one: write down each class in words, let the text encoder read them, and take for each picture the class whose vector is nearest. That is called **zero-shot**. A class may get several texts, its *prompts*:

@@10.5@@

# %% [markdown]
# Nine classes, Unicode's groups of emoji, on the unseen ones. The share is the mean over the classes, so that large ones do not decide:

# %%
classes = {}
for row in emoji_clip["classes"]:
    classes.setdefault(row["way"], []).append(row["balanced"])
panels = {"right, mean of nine classes": classes}
figures.show(
    figures.seed_dots(panels, @@classes_title@@, lit=["several words"]),
    alt=figures.describe_seed_dots(panels),
)

# %% [markdown]
# @@after_classes@@

@@10.7@@

# %% [markdown]
# ## 10E Where it fails
#
# One vector for a whole picture, one for a whole sentence: is there room for *who* is *where*? These are **scenes**, put together from emoji, so that we know everything about them.

# %%
scenes = draw_scenes(6, seed=1, split="test")
names = [
    [OBJECTS[index] for index, there in zip(row, some, strict=True) if there]
    for row, some in zip(scenes.objects.tolist(), scenes.present, strict=True)
]
figures.show(
    figures.captioned_scenes(
        scenes.images, scenes.captions, scenes.boxes, names, scenes.present
    ),
    alt=figures.describe_captioned_scenes(scenes.captions, names),
)

# %% [markdown]
# Take two sentences about a scene, one true and one false, and see which of them CLIP's kind likes better. *Object*: one of the two things has been replaced. *Number*: two and three are exchanged. *Negation*: “there is a cat”, “there is no cat”. And *order*: the two things have changed places, “a dog above a cat” for “a cat above a dog”. The heads were trained on captions of 1,000 other scenes. What share of the *orders* do they get right? A coin gets 0.5.

# %%
predict("P10.2", None)

# %%
asked = [row for row in emoji_clip["sentences"] if row["learned"] == "captions"]
right = means(asked, "right", "asked")
reveal("P10.2", round(right["order",], 2))
kinds = {kind: [row["right"] for row in asked if row["asked"] == kind] for kind in ("object", "number", "negation", "order")}
panels = {"true sentence preferred": kinds}
figures.show(
    figures.seed_dots(panels, @@fails_title@@, chance=0.5, lit=["order"]),
    alt=figures.describe_seed_dots(panels),
)
alike = means(asked, "alike", "asked")
print("cosine of the two sentences in MiniLM:", *(f"{kind} {alike[kind,]:.2f}" for kind in kinds))

# %% [markdown]
# @@after_fails@@

# %% [markdown]
# ## 10F Words and regions in one row
#
# CLIP's two halves meet only at the end, in one product. The other way is to let them meet from the first layer on. **VisualBERT** (Li et al. 2019) is a BERT whose second sentence is a picture: its *regions*, boxes that something cut out, each as one vector. Then everything looks at everything.

# %%
reader = load_checkpoint("scene-reader")
words = ["[CLS]", *scenes.captions[0].split(), "[SEP]"]
there = scenes.present[0]
figures.show(
    figures.words_and_regions(words, scenes.images[0], scenes.boxes[0][there], names[0]),
    alt=figures.describe_words_and_regions(words, names[0]),
)

@@10.8@@

# %% [markdown]
# Where do the regions' vectors come from? From a small CNN that learned to name single emoji; its classifier was cut off. To its 32 numbers come four for the box. (The original takes an object detector's.) Three tasks train the model, all with training's facts only: fill a hidden word; say whether a caption is true of the scene; answer a question. *No fact of the test*, such as (cat, above, bus), was ever shown.
#
# For the second task one needs captions that are wrong. How hard is that?

@@10.9@@

# %% [markdown]
# **What does the picture add?** Hide one word of a caption. A thing, for instance: “a [MASK] above a bus”. Sixty things are possible. In what share of the cases does the model fill it in, with the picture beside it?

# %%
predict("P10.3", None)

# %%
scene_rows = load_result("scenes")["rows"]
reading = [row for row in scene_rows if row["part"] == "reading" and row["facts"] == "new"]
SEEN = {
    ("reader", "its own"): "its own picture",
    ("reader", "another's"): "another scene's picture",
    ("reader", "none"): "no picture",
    ("blind", "none"): "trained without pictures",
}


def by_picture(rows, column):
    """Return {what was seen: a number for each seed}."""
    return {
        said: [row[column] for row in rows if (row["model"], row["picture"]) == which]
        for which, said in SEEN.items()
    }


reveal("P10.3", round(sum(by_picture(reading, "object")["its own picture"]) / 3, 2))
panels = {f"hidden: {kind}": by_picture(reading, kind) for kind in ("object", "relation", "number")}
figures.show(
    figures.seed_dots(panels, @@words_title@@, lit=["its own picture"]),
    alt=figures.describe_seed_dots(panels),
)

# %% [markdown]
# @@after_words@@
#
# **Does it know order?** The same test as in 10E: a true caption, and one that is false. *Towers* are CLIP's kind, trained on the same scenes: one reads the caption, the other the regions, and they meet in one product.

# %%
matching = [row for row in scene_rows if row["part"] == "matching" and row["facts"] == "new"]
NAMED = {"reader": "one row (VisualBERT)", "towers, told what is wrong": "towers, told what is wrong", "towers": "towers"}
panels = {
    title: {
        said: [row[column] for row in matching if row["model"] == model and row["picture"] == "its own"]
        for model, said in NAMED.items()
    }
    for column, title in {"object": "another thing", "exchanged": "changed places"}.items()
}
figures.show(
    figures.seed_dots(panels, @@order_title@@, chance=0.5, lit=["one row (VisualBERT)"]),
    alt=figures.describe_seed_dots(panels),
)

# %% [markdown]
# @@after_order@@

# %% [markdown]
# ## 10G Who looks where
#
# If words and regions look at each other, does the word *cat* look at the cat? Choose a word; the boxes show what it looks at. Go through the layers and heads, then silence one.

# %%
ROWS = @@explorer_rows@@
more = draw_scenes(40, seed=2, split="test")
seen = seen_scenes(reader, more, ROWS)
RegionExplorer(seen, silencer(reader, more, ROWS), layer=@@layer@@, head=@@head@@)

# %%
@@pointing@@

# %% [markdown]
# @@after_pointing@@

# %% [markdown]
# ## 10H Ask about a picture
#
# “what is to the left of the camel ?”, “how many dogs are there ?”: the same model, with a question in place of the caption, and one of 65 answers from [CLS]. Half of the yes-or-no questions have the answer yes, so that the question alone tells little. How much does it tell? The *blind* reader was trained alike, on the questions alone.

# %%
kinds = ("what", "where", "is there", "how many")
panels = {kind: by_picture(reading, kind) for kind in kinds}
figures.show(
    figures.seed_dots(panels, @@asked_title@@, lit=["its own picture"]),
    alt=figures.describe_seed_dots(panels),
)

# %%
for row in range(4):
    for asked in ask_scenes(more, seed=0)[3 * row : 3 * row + 2]:
        some = seen_scenes(reader, more, [asked.row])[0]
        print(f"{more.captions[asked.row]:52} {asked.question:44} {asked.answer}")

# %% [markdown]
# @@after_asked@@

# %% [markdown]
# ## 10I Pictures that move
#
# A sentence is a row of tokens, and a clip is a row of frames. If a frame were a token too, BERT could read films. **VideoBERT** (Sun et al. 2019) makes it one: a trained network turns each frame into a vector, and **k-means** sorts all these vectors into a few thousand heaps. The number of its heap is the frame's token. (Their clips were cooking videos, with what the cook says for text.) Ours are digits and emoji that move:

# %%
films = draw_clips(4, seed=3, split="test")
figures.show(
    figures.film_strips(films.frames, films.captions),
    alt=figures.describe_film_strips(films.captions),
)

@@10.11@@

# %% [markdown]
# Words and frame tokens then stand in one row, and BERT's task is the same: some are hidden, and the model fills them in. What it can do depends on what we hide. All of the frames: it *draws* a clip for a caption. The telling words: it *describes* a clip. The last four frames: it *goes on*. All combinations of thing, direction and change below are new to it.

# %%
clip_rows = load_result("clips")["rows"]


def by_given(part, column):
    """Return {what the model was given: a number for each seed} of one part."""
    found = {}
    for row in clip_rows:
        if row["part"] == part:
            found.setdefault(row["given"], []).append(row[column])
    return found


for part in ("caption to frames", "frames to caption"):
    panels = {kind: by_given(part, kind) for kind in ("thing", "direction", "speed", "change")}
    figures.show(
        figures.seed_dots(panels, f"{part[0].upper()}{part[1:]}: what is right"),
        alt=figures.describe_seed_dots(panels),
    )

# %% [markdown]
# @@after_clips@@

# %%
panels = {
    "the very token": by_given("next frames", "token"),
    "pixels off": by_given("next frames", "pixels_off"),
}
figures.show(
    figures.seed_dots(panels, @@next_title@@, lit=["four frames"]),
    alt=figures.describe_seed_dots(panels),
)

# %% [markdown]
# @@after_next@@

# %% [markdown]
# ## 10J Pictures as tokens
#
# K-means gave a frame *one* token, and from one number nobody can paint it. To **write** a picture it takes more: a grid of tokens, and a network that paints from them. That is a **VQ-VAE** (van den Oord et al. 2017). An encoder makes an 8 × 8 grid of vectors from a picture of 32 × 32 pixels. Each is replaced by the nearest of the 256 vectors in a **code book**. A decoder paints the picture from these alone.

# %%
writer = load_checkpoint("emoji-writer")
small = load_named_emoji(size=32)
shown = small.test.images[@@coded_rows@@]
coded = writer.autoencoder.encode(shown)
named = [small.test.names[row] for row in @@coded_rows@@]
figures.show(
    figures.coded_pictures(shown, coded, writer.paint(coded), 256, named),
    alt=figures.describe_coded_pictures(shown, coded, writer.paint(coded), 256, named),
)

# %% [markdown]
# Choosing the nearest has no gradient: move the vector a little, and mostly the same code stays nearest. The trick is to pretend. Forwards the code is used; backwards the gradient passes *straight through* to the vector, as if nothing had been replaced.

@@10.10@@

# %% [markdown]
# Here is the book. Click on a cell, and see where else its code is used. Give it another code, and the picture is painted anew.

# %%
CodeBookExplorer(shown, coded, writer.paint, 256, named)

# %%
book = load_result("written-emoji")["books"]
all_codes = torch.cat([writer.autoencoder.encode(some) for some in small.test.images.split(200)])
counts = torch.bincount(all_codes.flatten(), minlength=256)
figures.show(figures.code_use(counts), alt=figures.describe_code_use(counts))
for name in ("error", "error_without_a_book", "error_of_the_mean"):
    print(f"{name.replace('_', ' '):22}", *(f"{row[name]:.4f}" for row in book))

# %% [markdown]
# @@after_book@@
#
# **And now write.** A picture is 64 tokens, a caption a dozen. Put them in one row, and any GPT can learn to go on from the caption: that is the idea of **DALL-E** (Ramesh et al. 2021). Ours saw 2,896 captions with their pictures. In some, a person or a hand has a skin tone that it has never seen *on it*; others are of concepts that it has never seen at all.

# %%
@@samples@@

# %% [markdown]
# Which of these are good is a matter for a judge, not for taste. We have one: the finder of 10A. Show it a drawing, and ask which of 60 captions it belongs to. (To the true picture, painted through the book, it should say the right one: the control that must succeed. And to drawings with their captions changed round it should not.)

# %%
predict("P10.4", None)

# %%
@@judged@@

# %% [markdown]
# @@after_judged@@

@@10.12@@

# %% [markdown]
# ## 10K The map
#
# One space, one row, a book of codes: what came after 2021 is put together from these.

# %%
figures.show(figures.text_picture_map(), alt=figures.describe_text_picture_map())

# %% [markdown]
# **BLIP** (Li et al. 2022) has both at once: two towers for searching, one row for judging. **Latent diffusion** (Rombach et al. 2022, the idea behind *Stable Diffusion*) paints in the space of a VQ-VAE's vectors, but not code by code: it starts from noise and cleans all cells together, many times, while it looks at the caption by cross-attention. In today's **chat models with eyes** the regions of 10F are a ViT's patches: a linear map makes them as wide as tokens, and a decoder reads them before your question.

# %% [markdown]
# ## 10L The whole on one page
#
# CLIP on one page:

# %%
pages.show("clip")

# %%
@@page_clip@@

# %% [markdown]
# And VisualBERT, as what changes on BERT’s page:

# %%
pages.show("visualbert")

# %%
@@page_visualbert@@

# %% [markdown]
# @@ending@@

# %% [markdown]
# ## Your predictions

# %%
predictions("10")

# %% [markdown]
# ## Paper and code
#
# What you may read elsewhere, and what this chapter found.
#
# | you may read | in fact | here |
# |---|---|---|
# | the temperature starts at 0.07 | the file holds the logarithm of 1/0.07, and the factor is held at 100 or below | 10C, exercise 10.6 |
# | the end-of-text token is the last one | it is the first with its id; old files look for the highest id in its place | 10C |
# | a contrastive loss needs an enormous batch | CLIP’s was 32,768; how much it helps depends on the data | 10C |
# | CLIP needs no training examples | none of *your* classes, and 12.8 billion looks at others | exercise 10.7 |
# | it understands the caption | it knows what is there; who is where is another matter | 10E |
# | VisualBERT’s regions have no order | true of their vectors: all share one position, where they are is in their features | 10F, exercise 10.8 |
# | text to picture is next-token prediction | in DALL-E of 2021; the next ones clean noise | 10J, 10K |
#
# `CLIP.from_pretrained("openai/clip-vit-base-patch32")` and `VisualBERT.from_pretrained("uclanlp/visualbert-vqa-coco-pre")` read the published weights from a folder or the hub.

# %% [markdown]
# ## Recap
#
# - Two encoders, one space: a picture and its name get vectors that point the same way. The other names of the batch are the wrong answers, and the loss asks both ways.
# - Encoders that have read before do nearly all of the work: two linear maps on top, trained in seconds, find pictures that they have never seen.
# - A class can be a sentence. But one vector a picture knows what is there, and hardly who is where.
# - In one row, words and regions look at each other from the first layer on: a BERT that fills words, checks captions and answers questions by looking.
# - A code book turns pictures into tokens. Then a GPT can write them, and a CLIP can judge what it wrote.

# %% [markdown]
# ## References
#
# - Alec Radford et al. (2021). *Learning Transferable Visual Models From Natural Language Supervision*. [arXiv:2103.00020](https://arxiv.org/abs/2103.00020)
# - Liunian Harold Li et al. (2019). *VisualBERT: A Simple and Performant Baseline for Vision and Language*. [arXiv:1908.03557](https://arxiv.org/abs/1908.03557)
# - Chen Sun et al. (2019). *VideoBERT: A Joint Model for Video and Language Representation Learning*. [arXiv:1904.01766](https://arxiv.org/abs/1904.01766)
# - Aaron van den Oord et al. (2017). *Neural Discrete Representation Learning*. [arXiv:1711.00937](https://arxiv.org/abs/1711.00937)
# - Aditya Ramesh et al. (2021). *Zero-Shot Text-to-Image Generation*. [arXiv:2102.12092](https://arxiv.org/abs/2102.12092)
# - Junnan Li et al. (2022). *BLIP: Bootstrapping Language-Image Pre-training for Unified Vision-Language Understanding and Generation*. [arXiv:2201.12086](https://arxiv.org/abs/2201.12086)
# - Robin Rombach et al. (2022). *High-Resolution Image Synthesis with Latent Diffusion Models*. [arXiv:2112.10752](https://arxiv.org/abs/2112.10752)
# - Mert Yuksekgonul et al. (2023). *When and Why Vision-Language Models Behave Like Bags-of-Words, and What to Do About It?* [arXiv:2210.01936](https://arxiv.org/abs/2210.01936)
# - The pictures are [OpenMoji](https://openmoji.org)’s, the open-source emoji and icon project, licence CC BY-SA 4.0.
