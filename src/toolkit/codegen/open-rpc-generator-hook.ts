import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ContractError, loadContract, problemText } from '../contract/index.js'
import { generateFiles } from './generate-files.js'
import type { Tool } from './generated-file.js'
import { applyPlan, OutputError, planWrite } from './write-files.js'

/** The input that @open-rpc/generator passes to the hook of a custom component, and the generating tool. */
export interface HookInput {
  /** The component's output folder: its `outPath`, or `outDir/custom/typescript`. */
  readonly destination: string
  /**
   * The folder of the copied document, relative to `destination`. Undefined if the configuration turned
   * copying off.
   */
  readonly openRPCPath?: string | undefined
  readonly language: string
  readonly tool: Tool
}

/** An error of this component. It has no cause, because the tool prints errors with their stack and cause. */
class ComponentError extends Error {
  override readonly name = 'ComponentError'

  constructor(message: string) {
    super(message)
    this.stack = `${this.name}: ${message}`
  }
}

/**
 * Generates the files of `concordat generate` in the output folder of @open-rpc/generator. References to
 * other files are resolved against the working directory, as the tool does. A self-referencing document never
 * gets here: the tool dereferences it first and runs out of memory.
 * @throws ComponentError if configuration, document or folder cannot be used; nothing is written then
 */
export async function openRpcGeneratorHook(input: HookInput): Promise<void> {
  const { destination, openRPCPath, language, tool } = input
  if (language !== 'typescript') {
    throw new ComponentError(
      `concordat generates only TypeScript, but the component has "language": "${language}"`,
    )
  }
  if (openRPCPath === undefined) {
    throw new ComponentError(
      'the component needs a copy of the document: remove "openRPCPath" from the configuration',
    )
  }
  const document = join(destination, openRPCPath, 'openrpc.json')
  try {
    const contract = await loadContract('-', { standardInput: Readable.from([await readFile(document)]) })
    const plan = await planWrite(destination, generateFiles(contract, tool), tool.name)
    await applyPlan(plan)
    const written = plan.missing.length + plan.stale.length
    const counts = `${written} written, ${plan.left.length} removed, ${plan.unchanged.length} unchanged`
    process.stdout.write(`${tool.name}: ${destination}: ${counts}\n`)
  } catch (cause) {
    throw explained(cause, document)
  }
}

function explained(cause: unknown, document: string): unknown {
  if (cause instanceof OutputError) return new ComponentError(cause.message)
  if (!(cause instanceof ContractError)) return cause
  const lines = cause.problems.map((problem) => `  ${problemText(problem).replaceAll(/\s+/g, ' ')}`)
  return new ComponentError(
    [`${document} (the copied document) is not a valid contract:`, ...lines].join('\n'),
  )
}
