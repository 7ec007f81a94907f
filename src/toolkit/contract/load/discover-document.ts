import { ContractError, contractError } from '../contract-error.js'
import { isObject, member, parseJson, stringMember } from '../json.js'
import { boundedText, innermost, type RemoteBounds } from './fetch-document.js'

const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'rpc.discover', params: [] })

/**
 * Reads the document of a running service with `rpc.discover` (OpenRPC 1.3, service discovery method). Messages never
 * contain the URL, because it may contain a key.
 * @param url the http or https URL of the service; user name and password are sent as basic authentication
 * @param bounds the limits of time and size
 * @throws ContractError when the service cannot be reached, or its answer has no document
 */
export async function discoverDocument(url: URL, bounds: RemoteBounds): Promise<string> {
  const { username, password } = url
  const target = new URL(url)
  target.username = ''
  target.password = ''
  const credentials = [username, password].map(decodeURIComponent).join(':')
  const signal = AbortSignal.timeout(bounds.timeout)
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(username !== '' && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
      body: request,
      signal,
    })
    return documentIn(await boundedText(response, bounds.bytes), response.status)
  } catch (cause) {
    if (signal.aborted) throw refused(`no complete answer within ${bounds.timeout} ms`, cause)
    if (cause instanceof ContractError) throw refused(cause.problems[0]?.message ?? '', cause)
    throw refused(innermost(cause), cause)
  }
}

function documentIn(text: string, status: number): string {
  const answer = parseJson(text)
  if (answer === undefined) throw contractError('', `the answer (HTTP status ${status}) is not JSON`)
  const error = isObject(answer) ? member(answer, 'error') : undefined
  if (isObject(error)) {
    const message = stringMember(error, 'message') ?? 'without a message'
    throw contractError('', `error ${JSON.stringify(member(error, 'code') ?? null)}, ${message}`)
  }
  const document = isObject(answer) ? member(answer, 'result') : undefined
  if (!isObject(document))
    throw contractError('', `the answer (HTTP status ${status}) has no document as its result`)
  return `${JSON.stringify(document, null, 2)}\n`
}

function refused(reason: string, cause: unknown): ContractError {
  const message = `rpc.discover failed: ${reason}. Check the URL, or give the document as a file`
  return contractError('', message, { cause })
}
