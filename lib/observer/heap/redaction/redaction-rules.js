'use strict'

// Decides which names look like data. Map keys from user data become property names in a heap snapshot, so names cannot all be trusted. Pure. It
// only checks the form of a name: one that looks like an ordinary word passes, whatever it means.

// Letters of random case with digits between them form "words" of about two characters, camelCase words of 3.5 and more. Of 20,000 random tokens
// of 18 bytes in base64 these limits miss 1 %, of 32 bytes 0.1 %; they wrongly match four of the 46,000 names in a heap with Express, Fastify
// and ESLint. Shorter tokens look like abbreviations.
const MIN_RANDOM_LENGTH = 14
const LONG_LENGTH = 18
const RANDOM_CHARS_PER_WORD = 2.6
const RANDOM_CHARS_PER_WORD_LONG = 3
const MAX_NAME_LENGTH = 1024 // where V8 cuts strings; real names are shorter, and the patterns below take quadratic time
const MIN_MIXED_LENGTH = 8 // the usual minimum length of a password

/** Names that V8 and Node generate: slot numbers, `(elements)`, `system / Context`, `%Array%`. None has the length or the characters of a secret. */
const ORDINARY = /^(?:\d{1,8}|[A-Za-z_$]{1,15}|\([a-z ]+\)|system \/ [A-Za-z]+|%\w+%)$/

const PATTERNS = Object.freeze([
  /[^\s@/]@[^\s@/]+\.\p{L}{2,}/u, // e-mail
  /%40/, // the same, escaped for a URL
  /\/\/[^/\s]*@/, // user and password in a URL
  /eyJ[\w-]{4,}/, // JWT: {" in base64
  /\b(?:bearer|basic|digest|token|apikey)[ =:]+\S/i,
  /\b(?:sk|pk|rk|whsec|gh[opsur]|github_pat|glpat|xox[abeoprs]|npm|hf|shp(?:at|ss|ca|pa)|dop_v1|rzp|key|SG|ya29)[-_.][\w-]{6,}/i,
  /\b(?:AKIA|ASIA|AGPA|AROA|AIza)\w{10,}/,
  /-----BEGIN/,
  /\bdata:[^,]*,/i, // a URL that is its own content: the source of a module
  /[?&][^=\s&/]+=/, // query string
  /(?:\d[ .()-]{0,2}){9,}/, // numbers of cards, phones, accounts, people
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/i, // UUID
  /\b(?=[a-f]*\d[a-f]*\d)[0-9a-f]{12,}/i, // hex
  /(?:[a-z]+\d+){3}/, // letters and digits by turns
  /[bcdfghjklmnpqrstvwxz]{7}/ // no word of any language has so many consonants in a row
])

const IDENTIFIER = /^#?[A-Za-z_$][\w$]*$/
const PACKAGE_VERSION = /^@?[\w.+-]+@\d+\.\d+/
const PATH = /^(?:\/|\.{0,2}\/|file:\/\/|node:|https?:\/\/|webpack:\/\/|[A-Za-z]:\\)/

/** @param {string} name @returns {boolean} */
function looksLikeData (name) {
  if (ORDINARY.test(name)) return false
  if (name.length > MAX_NAME_LENGTH) return true
  return hasPattern(name) || isMixed(name) || isRandom(name)
}

/** @param {string} name */
function hasPattern (name) {
  return PATTERNS.some(pattern => pattern.test(name))
}

/** Letters, digits and special characters together, and not an identifier: probably a password. @param {string} name */
function isMixed (name) {
  return name.length >= MIN_MIXED_LENGTH && /\d/.test(name) && /[A-Za-z]/.test(name) && /[!%^&*~@#$+=]/.test(name) &&
    !IDENTIFIER.test(name) && !PACKAGE_VERSION.test(name)
}

/**
 * Whether the name contains random base64. In either alphabet it is one run, with its special characters.
 * @param {string} name
 */
function isRandom (name) {
  return (name.match(/[\w+/=-]{14,}/g) ?? []).some(isRandomRun)
}

/** @param {string} run */
function isRandomRun (run) {
  const words = run.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []
  const length = words.reduce((total, word) => total + word.length, 0)
  return length >= MIN_RANDOM_LENGTH && length / words.length < (length < LONG_LENGTH ? RANDOM_CHARS_PER_WORD : RANDOM_CHARS_PER_WORD_LONG)
}

/**
 * @param {string} name
 * @param {(text: string) => string} replace
 * @returns {string} the same text if nothing in it looks like data
 */
function redactName (name, replace) {
  if (/^\d+ \/ part of key \(/.test(name)) return redactPair(name)
  if (!looksLikeData(name)) return name
  return PATH.test(name) && name.length <= MAX_NAME_LENGTH ? redactPath(name, replace) : replace(name)
}

/**
 * V8 writes the descriptions of a WeakMap entry's key and value into the name of its edge. DevTools pairs edges by that name, so its form stays.
 * @param {string} name
 */
function redactPair (name) {
  const whole = /^(\d+ \/ part of key \().*( @\d+\) -> value \().*( @\d+\) pair in WeakMap \(table @\d+\))$/s.exec(name)
  if (whole !== null) return `${whole[1]}...${whole[2]}...${whole[3]}`
  return name.replace(/\(.*/s, '(...)') // too long for V8's buffer, and cut off anywhere
}

/**
 * Keeps most of a path: where a function is defined stays useful.
 * @param {string} name
 * @param {(text: string) => string} replace
 */
function redactPath (name, replace) {
  const [path, ...query] = name.split(/(?=[?#])/)
  const segments = path.split(/([/\\])/).map(segment => looksLikeData(segment) ? replace(segment) : segment).join('')
  // A pattern that spans several segments is replaced as well.
  const left = segments.replaceAll(/\[redacted [0-9a-f]+\]\**/g, '')
  const kept = hasPattern(left) || isRandom(left) ? replace(path) : segments
  return query.length === 0 ? kept : `${kept}${replace(query.join(''))}`
}

module.exports = { looksLikeData, redactName }
