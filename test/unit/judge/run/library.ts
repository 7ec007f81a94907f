import type { Test } from 'tap'
import type { CaseResult, Report } from '../../../../src/judge/index.js'
import { type Answer, type Call, type Deployment, startDeployment } from './deployment.js'
import { type Files, type RunSettings, runSuite } from './run-suite.js'

export const head = { number: '0x10', hash: '0xaa' }

/** A library that answers by its contract, except where a test scripts an answer. */
export function library(answers: Readonly<Record<string, (call: Call) => Answer>> = {}) {
  return (call: Call): Answer => {
    const scripted = answers[call.method]
    if (scripted !== undefined) return scripted(call)
    if (call.method === 'newest') return { result: head }
    if (call.method === 'lend') return { result: 'lent' }
    return { result: call.params[0] === 1 ? { title: 'Emma', shelf: 2 } : null }
  }
}

/** A passing case. */
export const missing = `
scenario: A book that is not there is null.
rule: books.missing-null
steps:
  - call: book
    params: [7]
    expect: { result: null }
`

/** The first case of a report. */
export const only = (report: Report): CaseResult => {
  const [result] = report.cases
  if (result === undefined) throw new TypeError('no case ran')
  return result
}

/** Runs one case against a library; returns its result and the report. */
export async function judged(
  t: Test,
  text: string,
  answers: Parameters<typeof library>[0] = {},
  settings: RunSettings = {},
  others: Files = {},
): Promise<{ result: CaseResult; report: Report; deployment: Deployment }> {
  const deployment = await startDeployment(t, library(answers))
  const report = await runSuite(t, deployment.url, { 'books/one.yaml': text, ...others }, settings)
  const result = report.cases.find(({ id }) => id === 'books/one') ?? only(report)
  return { result, report, deployment }
}
