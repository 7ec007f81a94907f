import type { Evidence, Verdict } from '../report.js'
import { verdicts, verdictWords } from '../verdicts.js'

/** Groups digits, as everywhere in the product: 10203 becomes `10,203`. */
export function grouped(number: number | bigint): string {
  return number.toLocaleString('en-US')
}

/** Formats a number with its noun: `1 case`, `2 cases`. */
export function numbered(number: number, word: string): string {
  return `${grouped(number)} ${word}${number === 1 ? '' : 's'}`
}

/** Formats a head's number. Hexadecimal becomes decimal; other text stays unchanged. */
export function headNumber(number: string): string {
  return /^(0x[0-9a-f]+|\d+)$/i.test(number) ? grouped(BigInt(number)) : number
}

/** Formats a duration: `850 ms`, `40 s`, `3 min 20 s`, `1 h`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? joined(minutes, 'min', seconds % 60, 's')
    : joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
}

function joined(whole: number, unit: string, rest: number, smaller: string): string {
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`
}

/** Formats verdict counts above zero: `31 passed, 1 tolerated`. */
export function countsText(counts: Readonly<Record<Verdict, number>>): string {
  const said = verdicts.filter((verdict) => counts[verdict] > 0)
  return said.map((verdict) => `${grouped(counts[verdict])} ${verdictWords[verdict]}`).join(', ') || 'no case'
}

/** Returns the status of an answer in words. WebSockets and standard streams have no status. */
export function answerWords({ request, response }: Pick<Evidence, 'request' | 'response'>): string {
  if (!/^(?:wss?|stdio):/i.test(request.url)) return `HTTP ${response?.status}`
  return response?.status === 204 ? 'no answer' : 'answered'
}
