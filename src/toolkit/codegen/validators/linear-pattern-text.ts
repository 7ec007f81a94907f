/**
 * Returns the matcher of patterns that are slow with RegExp, if compiled schemas use it.
 * @param code compiled code
 */
export function linearPatternText(code: string): string {
  return /\blinearPattern\(/.test(code) ? text : ''
}

const text = `
/**
 * Creates a linear-time test for a pattern on which RegExp may backtrack. It simulates an NFA: all states advance
 * together, one character at a time.
 */
function linearPattern(tree, flags) {
  const scan = scanner(tree, flags, true)
  return { test: (text) => scan(text, () => true) }
}

/** Creates a scan of a text. Forward scans report the ends of matches, backward scans their starts. */
function scanner(tree, flags, isForward) {
  const looks = []
  const last = { next: [], round: 0 }
  const first = begin(tree, last)
  let round = 0

  function begin(part, next) {
    if (typeof part === 'string') return { reads: readerOf(part, flags), next: [next], round: 0 }
    const [kind, ...parts] = part
    if (kind === 'all') return (isForward ? parts.reverse() : parts).reduce((state, each) => begin(each, state), next)
    if (kind === 'any') return { next: parts.map((option) => begin(option, next)), round: 0 }
    if (kind === 'times') return repeated(parts[0], parts[1], (state) => begin(parts[2], state), next)
    const holds = kind === 'at' ? (text, at) => isAt(parts[0], text, at) : look(parts[0], parts[1], parts[2])
    return { holds, next: [next], round: 0 }
  }

  function look(ahead, wanted, inner) {
    const scanInner = scanner(inner, flags, !ahead)
    let places = new Uint8Array()
    looks.push((text) => {
      places = new Uint8Array(text.length + 1)
      scanInner(text, (at) => {
        places[at] = 1
        return false
      })
    })
    return (_, at) => (places[at] === 1) === wanted
  }

  return (text, found) => {
    for (const prepare of looks) prepare(text)
    const end = isForward ? text.length : 0
    const states = []
    const reading = []
    for (let at = text.length - end; ; ) {
      round++
      states.push(first)
      for (let state = states.pop(); state; state = states.pop()) {
        if (state.round === round) continue
        state.round = round
        if (state.reads) reading.push(state)
        else if (!state.holds || state.holds(text, at)) states.push(...state.next)
      }
      if (last.round === round && found(at)) return true
      if (at === end) return false
      const from = isForward ? at : before(text, at, flags)
      const code = flags === 'u' ? text.codePointAt(from) : text.charCodeAt(from)
      for (const { reads, next } of reading) if (reads(code)) states.push(...next)
      reading.length = 0
      at = isForward ? at + (code > 0xffff ? 2 : 1) : from
    }
  }
}

function repeated(least, most, begin, next) {
  let state = next
  if (most === null) {
    state = { next: [next], round: 0 }
    state.next.push(begin(state))
  }
  for (let count = least; count < (most ?? least); count++) state = { next: [next, begin(state)], round: 0 }
  for (let count = 0; count < least; count++) state = begin(state)
  return state
}

function isAt(position, text, at) {
  if (position === 'start') return at === 0
  if (position === 'end') return at === text.length
  const isBoundary = /\\w/.test(text.charAt(at - 1)) !== /\\w/.test(text.charAt(at))
  return isBoundary === (position === 'boundary')
}

/** Returns a character test with cached results for Latin-1. */
function readerOf(pattern, flags) {
  const expression = new RegExp('^(?:' + pattern + ')$', flags)
  const known = []
  const test = (code) => expression.test(String.fromCodePoint(code))
  return (code) => {
    if (code > 0xff) return test(code)
    known[code] ??= test(code)
    return known[code]
  }
}

/** Returns the start of the character before an offset: a code point with the Unicode flag, or a code unit. */
function before(text, at, flags) {
  return at - (flags === 'u' && text.codePointAt(at - 2) > 0xffff ? 2 : 1)
}
`
