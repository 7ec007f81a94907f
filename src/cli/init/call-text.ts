import { access, codeBlock, literal } from '../../codegen/index.js'
import { shellWord } from '../../conformance/index.js'
import { isArray, type JsonValue } from '../../contract/index.js'
import { isCallable, isShown, needsNothing } from './example-test.js'
import type { StandIn } from './stand-ins.js'

/** Maximum length of the shown parameters, in characters. */
const paramsMost = 200

/** Returns a section of README.md that shows one call with curl and with the typed client, or nothing. */
export function callText(standIns: readonly StandIn[]): string {
  const [shown] = standIns.filter(isCallable).flatMap((standIn) => {
    const params = paramsOf(standIn)
    return params === undefined || JSON.stringify(params).length > paramsMost ? [] : [{ standIn, params }]
  })
  if (shown === undefined) return ''
  const { standIn, params } = shown
  return `
## Call it

${codeBlock('sh', curlLine(standIn.method.name, params))}
${codeBlock('ts', clientLines(standIn, params))}`
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

function clientLines({ path, method }: StandIn, params: JsonValue): string {
  const values = method.params.length === 0 ? [] : isArray(params) ? params : [params]
  return `import { createClient } from './generated/client.js'

const client = createClient('http://127.0.0.1:8080/')
console.log(await client${path.map(access).join('')}(${values.map(literal).join(', ')}))`
}
