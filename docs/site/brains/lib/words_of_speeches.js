// Speeches by the words that they share with a query, as speech_finder.py has scikit-learn do it: TF-IDF.

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];

function counted(words) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

export class WordSearch {
  #length; // of each speech's counts
  #places = new Map(); // word -> [number of a speech, how often it is there, ...]

  constructor(texts) {
    this.size = texts.length;
    texts.forEach((text, speech) => {
      for (const [word, count] of counted(wordsOf(text))) {
        if (!this.#places.has(word)) this.#places.set(word, []);
        this.#places.get(word).push(speech, count);
      }
    });
    this.#length = new Float64Array(texts.length);
    for (const [word, places] of this.#places) {
      for (let i = 0; i < places.length; i += 2) this.#length[places[i]] += this.#weight(word, places[i + 1]) ** 2;
    }
    this.#length = this.#length.map(Math.sqrt);
  }

  // The cosine of each speech's counts with those of a query; words that few speeches have count more.
  cosines(query) {
    const scores = new Float64Array(this.size);
    let squares = 0;
    for (const [word, count] of this.#known(query)) {
      const weight = this.#weight(word, count);
      squares += weight ** 2;
      const places = this.#places.get(word);
      for (let i = 0; i < places.length; i += 2) scores[places[i]] += weight * this.#weight(word, places[i + 1]);
    }
    return squares ? scores.map((score, speech) => score / (Math.sqrt(squares) * this.#length[speech] || 1)) : scores;
  }

  // The query's words that stand in at most this share of the speeches, sorted.
  rare(query, share = 0.05) {
    return [...this.#known(query).keys()].filter((word) => this.#standsIn(word) <= share * this.size).sort();
  }

  #known(query) {
    return counted(wordsOf(query).filter((word) => this.#places.has(word)));
  }

  #standsIn(word) {
    return this.#places.get(word).length / 2;
  }

  #weight(word, count) {
    return (1 + Math.log(count)) * (1 + Math.log((1 + this.size) / (1 + this.#standsIn(word))));
  }
}
