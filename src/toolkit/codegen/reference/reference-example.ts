import {
  type Contract,
  type ExamplePairing,
  isObject,
  type JsonValue,
  type Method,
  member,
  stringMember,
} from '../../contract/index.js'
import { codeBlock, jsonText, proseLine } from './markdown.js'

/** An example in the form in which the reference shows it. */
export interface ShownExample {
  /** A one-line summary in Markdown. */
  readonly says: string
  readonly request: JsonValue
  /** A curl command with the service's URL in `$RPC_URL`. */
  readonly curl: string
  /** Undefined for a notification. */
  readonly answer: JsonValue | undefined
}

/**
 * Explains `$RPC_URL`: the HTTP URL of the contract's first server, with default values for its variables.
 * Returns an empty string if there are no examples.
 */
export function curlText({ methods, servers }: Contract): string {
  if (methods.every(({ examples }) => examples.length === 0)) return ''
  const [url] = servers.map(serverUrl).filter((text) => /^https?:\/\//i.test(text))
  const says = 'In the curl lines `$RPC_URL` is the URL of the service'
  return url === undefined ? `${says}.\n` : `${says}:\n\n${codeBlock('sh', `RPC_URL=${shellWord(url)}`)}`
}

function serverUrl({ url, variables }: Contract['servers'][number]): string {
  return url.replaceAll(/\$\{([^}]*)\}/g, (whole, name: string) => {
    const variable = member(variables, name)
    return (isObject(variable) ? stringMember(variable, 'default') : undefined) ?? whole
  })
}

/** Quotes text as one shell word. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Returns an example with its full request and response. */
function shownExample(method: Method, example: ExamplePairing): ShownExample {
  const id = method.result && { id: 1 }
  const request = { jsonrpc: '2.0', ...id, method: method.name, params: exampleParams(method, example) }
  const answer =
    example.error === undefined ? { result: example.result?.value ?? null } : { error: example.error }
  return {
    says: proseLine(example.description ?? example.summary ?? example.name),
    request,
    curl: `curl -s "$RPC_URL" -H 'content-type: application/json' -d ${shellWord(JSON.stringify(request))}`,
    answer: method.result ? { jsonrpc: '2.0', id: 1, ...answer } : undefined,
  }
}

/** Formats an example as Markdown. */
export function exampleText(method: Method, example: ExamplePairing): string {
  const { says, curl, answer } = shownExample(method, example)
  return [
    `${says}\n`,
    codeBlock('sh', curl),
    ...(answer === undefined ? [] : [codeBlock('json', jsonText(answer))]),
  ].join('\n')
}

function exampleParams({ paramStructure }: Method, { params: values }: ExamplePairing): JsonValue {
  if (paramStructure !== 'by-name') return values.map(({ value }) => value)
  return Object.fromEntries(values.map(({ name, value }) => [name, value]))
}
