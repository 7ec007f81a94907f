import { amountOf, isObject, type JsonValue, member } from '../../toolkit/contract/index.js'
import type { Finding } from '../report/index.js'
import type { Expectation } from '../scenario/scenario.js'
import type { ReplyView } from '../send/reply-view.js'

/**
 * Describes how an answer deviates from an expectation. Numbers in headers and results are given as differences, such as
 * `header RateLimit -2`, so that deviations of several steps can be compared. Other values are given as they are.
 * @param expect the expectation, with its variables filled in
 * @param findings its findings
 */
export function deviationOf(expect: Expectation, view: ReplyView, findings: readonly Finding[]): string {
  return findings
    .map(({ where, expected, got }) => `${where} ${amountIn(where) ?? `${expected}: ${got}`}`)
    .join(', ')

  function amountIn(where: string): string | undefined {
    const name = /^header (.*)$/.exec(where)?.[1]
    if (name !== undefined) return headerDifference(expect.headers?.[name], view.headers[name.toLowerCase()])
    const result = isObject(view.json) ? member(view.json, 'result') : undefined
    return where === '/result' ? difference(expect.result, result) : undefined
  }
}

/** Differences between the numbers of a pattern and those of a header. */
function headerDifference(expected: JsonValue | undefined, actual: string | undefined): string | undefined {
  const pattern = isObject(expected) ? member(expected, '$pattern') : undefined
  if (typeof pattern !== 'string' || actual === undefined) return undefined
  const numbers = /(?<![\\\d])\d+/g
  const found = new RegExp(pattern.replaceAll(numbers, String.raw`(\d+)`), 'u').exec(actual)?.slice(1)
  const stated = pattern.match(numbers) ?? []
  if (found === undefined || stated.length === 0 || found.length !== stated.length) return undefined
  return stated.map((number, at) => signed(BigInt(found[at] ?? 0) - BigInt(number))).join(' ')
}

function difference(expected: JsonValue | undefined, actual: JsonValue | undefined): string | undefined {
  const [one, other] = [amountOf(expected), amountOf(actual)]
  if (typeof one === 'bigint' && typeof other === 'bigint') return signed(other - one)
  return typeof one === 'number' && typeof other === 'number' ? signed(other - one) : undefined
}

const signed = (amount: number | bigint): string => (amount > 0 ? `+${amount}` : String(amount))
