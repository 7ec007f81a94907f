import { shellWord } from '../../judge/index.js'
import { access, codeBlock, literal } from '../../toolkit/codegen/index.js'
import { isArray, type JsonValue } from '../../toolkit/contract/index.js'
import { isCallable, isShown, needsNothing, type StandIn } from './stand-ins.js'

/** Maximum length of the parameters of the shown call, in characters. */
const paramsMost = 200

/** Shows one call with curl and with the typed client; empty if no method can be shown. */
export function callExample(contract: string, standIns: readonly StandIn[]): string {
  const [shown] = standIns.filter(isCallable).flatMap((standIn) => {
    const params = paramsOf(standIn)
    return params === undefined || JSON.stringify(params).length > paramsMost ? [] : [{ standIn, params }]
  })
  if (shown === undefined) return ''
  const { standIn, params } = shown
  const [curl, client] = [curlLine(standIn.method.name, params), clientLines(contract, standIn, params)]
  return `${codeBlock('sh', curl)}\n${codeBlock('ts', client)}`.trimEnd()
}

/** Returns the parameters of the first example, or empty parameters if none are required. */
function paramsOf(standIn: StandIn): JsonValue | undefined {
  if (isShown(standIn)) return standIn.examples[0]?.params
  if (standIn.kind === 'silent' || !needsNothing(standIn)) return undefined
  return standIn.method.paramStructure === 'by-name' ? {} : []
}

function curlLine(method: string, params: JsonValue): string {
  const body = shellWord(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return `curl -s http://127.0.0.1:8080/ -H 'content-type: application/json' \\\n  -d ${body}`
}

function clientLines(contract: string, { path, method }: StandIn, params: JsonValue): string {
  const values = method.params.length === 0 ? [] : isArray(params) ? params : [params]
  return `import { createClient } from '${contract}/client'

const client = createClient('http://127.0.0.1:8080/')
console.log(await client${path.map(access).join('')}(${values.map((item) => literal(item)).join(', ')}))`
}
