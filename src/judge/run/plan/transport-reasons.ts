import { isArray, isObject, member } from '../../../toolkit/contract/index.js'
import type { Expectation, Scenario, SentStep } from '../../scenario/scenario.js'
import { sentSteps } from '../../scenario/sent-steps.js'
import type { Transport } from '../../send/connection-url.js'
import type { ConnectionMethods } from '../../terms/contract-terms.js'

/**
 * Returns the reason why a case does not apply to the transport of the target, or undefined.
 */
export function transportReason(
  scenario: Pick<Scenario, 'steps' | 'origin'>,
  methods: ConnectionMethods,
  transport: Transport,
): string | undefined {
  const sent = sentSteps(scenario.steps)
  const ofClient = sent.flatMap(calledMethods).find((name) => methods.clientMethods.has(name))
  if (ofClient !== undefined) return `only the server calls ${ofClient} (x-direction)`
  if (transport !== 'http') {
    const parts = [...new Set(sent.flatMap(httpParts))]
    if (parts.length > 0) return `it tests HTTP (${parts.join(', ')}), and ${withoutHttp[transport]}`
    const isOpening = (name: string) => methods.openingMethods.has(name)
    const opening = scenario.origin === 'derived' ? sent.flatMap(calledMethods).find(isOpening) : undefined
    return opening && `${opening} opens the session (x-session)`
  }
  const subscription = subscriptionIn(scenario, methods)
  return subscription && `${subscription} needs a connection: use the URL of a WebSocket`
}

const withoutHttp = { 'web-socket': 'the URL is a WebSocket', program: 'the target is a program' } as const

/** Returns the first method of a case that starts or ends a subscription. */
export function subscriptionIn(
  { steps }: Pick<Scenario, 'steps'>,
  { subscriptions, unsubscribeMethods }: ConnectionMethods,
): string | undefined {
  const called = sentSteps(steps).flatMap(calledMethods)
  return called.find((name) => subscriptions.has(name) || unsubscribeMethods.has(name))
}

function calledMethods(step: SentStep): readonly string[] {
  if (step.kind === 'raw') return []
  return step.kind === 'call' ? [step.call.method] : step.items.map(({ method }) => method)
}

/** Returns the parts of a step that exist only in HTTP. */
function httpParts(step: SentStep): readonly string[] {
  const expectations = [step.expect, step.repeatUntil?.expect]
  const hasBytes = step.kind === 'raw' && step.body.some((part) => 'hex' in part || 'pause' in part)
  const parts = {
    verb: step.verb !== undefined,
    headers: Object.keys(step.headers).length + Object.keys(step.captureHeader).length > 0,
    path: step.path !== undefined,
    key: step.key !== undefined,
    'raw bytes': hasBytes,
    'an empty body': step.kind === 'raw' && step.body.length === 0,
    'response headers': expectations.some((one) => one?.headers !== undefined),
    status: expectations.some((one) => expectsOnlyStatus(one)),
  }
  return Object.entries(parts).flatMap(([name, isUsed]) => (isUsed ? [name] : []))
}

/**
 * Returns true if an expectation states a failure by its HTTP status alone. Over a WebSocket, a response counts as 200
 * and no response as 204.
 */
function expectsOnlyStatus({ status, error }: Expectation = {}): boolean {
  if (status === undefined || error !== undefined) return false
  const accepted = isObject(status) ? member(status, '$one-of') : [status]
  return !isArray(accepted) || !accepted.some((one) => one === 200 || one === 204)
}
