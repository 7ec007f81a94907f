import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ContractError, loadContract, problemText } from '../contract/index.js'
import { generateFiles } from './generate-files.js'
import type { Tool } from './generated-file.js'
import { applyPlan, OutputError, planWrite } from './write-files.js'

/** What @open-rpc/generator tells a hook of its component, and who generates. */
export interface HookInput {
  /** The component's output folder: its `outPath`, or `outDir/custom/typescript`. */
  readonly destination: string
  /** The folder in it that holds the tool's copy of the document, undefined where the configuration turned it off. */
  readonly openRPCPath?: string | undefined
  readonly language: string
  readonly tool: Tool
}

/** Why the component cannot do its work. Words alone: the tool prints an error whole, its stack and cause with it. */
class ComponentError extends Error {
  override readonly name = 'ComponentError'

  constructor(message: string) {
    super(message)
    this.stack = `${this.name}: ${message}`
  }
}

/**
 * Generates code where @open-rpc/generator wants it: the files that `concordat generate` makes of the same document.
 * References to other files start from the working directory, as they do for the tool itself. A document that refers
 * to itself never gets here: the tool resolves every reference first, and runs out of memory.
 * @throws ComponentError where configuration, document or folder cannot be used; nothing is written then
 */
export async function openRpcGeneratorHook(input: HookInput): Promise<void> {
  const { destination, openRPCPath, language, tool } = input
  if (language !== 'typescript') {
    throw new ComponentError(`concordat makes TypeScript: the component says "language": "${language}"`)
  }
  if (openRPCPath === undefined) {
    throw new ComponentError('the component needs the copy of the document: leave "openRPCPath" out')
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
    [`${document}, the copy of the document, cannot be used as a contract:`, ...lines].join('\n'),
  )
}
