import type { ViolatedRule } from '../../report/index.js'
import type { AutomaticFinding } from './automatic-checks.js'

/** What every answer must follow, by automatic check: an id and a sentence, with "of METHOD" where … stands. */
const RULES: Readonly<Record<AutomaticFinding['check'], readonly [id: string, text: string]>> = {
  body: ['answer.json', 'The body of every answer is a JSON-RPC response object.'],
  envelope: [
    'answer.envelope',
    'Every answer has `jsonrpc` "2.0", an id, and either a result or an error. A batch has one answer per call.',
  ],
  id: ['answer.id', 'An answer has the id of its call.'],
  status: ['answer.status', 'A result has HTTP status 200.'],
  result: ['answer.result', 'The result… fits its schema.'],
  error: ['answer.error', 'An error… is one that the contract declares, with its data and HTTP status.'],
  subscription: ['answer.subscription', 'The items of a subscription fit the schemas of its notification.'],
}

/** Returns the rule that an automatic check tests, which holds for every answer whatever the case is about. */
export function violatedRule({ check, method, place }: AutomaticFinding): ViolatedRule {
  const [id, text] = RULES[check]
  return {
    id,
    text: text.replace('…', () => (method === undefined ? '' : ` of \`${method}\``)),
    ...(place !== undefined && { pointer: place }),
    ...(method !== undefined && { method }),
  }
}
