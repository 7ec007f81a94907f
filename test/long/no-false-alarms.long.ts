/** Runs generated calls with ten seeds on the mocks of public documents. No case may fail. */
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import t from 'tap'
import { main } from '../../src/cli/main.js'
import { loadMethods } from '../../src/cli/mock/mock-methods.js'
import { ContractError, isObject, type JsonObject, loadContract } from '../../src/toolkit/contract/index.js'
import { createMock } from '../../src/toolkit/mock/index.js'
import { copyPublicDocuments } from '../support/public-documents.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const seeds = Array.from({ length: 10 }, (_, seed) => String(seed))

/** Removes the examples whose results violate their schemas, because a mock returns them. */
async function withValidExamples(path: string): Promise<void> {
  const contract = await loadContract(path)
  const validators = await loadMethods(contract)
  const document = JSON.parse(await readFile(path, 'utf8')) as JsonObject
  const methods = [document['methods'] ?? []].flat().map((method) => {
    const known = isObject(method) ? contract.methods.find(({ name }) => name === method['name']) : undefined
    if (!isObject(method) || method['examples'] === undefined || known === undefined) return method
    const isValid = known.examples.every(
      ({ result }) => !result || validators[known.name]?.validateResult(result.value).length === 0,
    )
    const { examples: _, ...others } = method
    return isValid ? method : others
  })
  await writeFile(path, JSON.stringify({ ...document, methods }))
}

const { installed, beside } = await copyPublicDocuments(await temporaryFolder(t))
for (const path of [...installed, ...beside]) {
  t.test(basename(path), async (t) => {
    const contract = await withValidExamples(path)
      .then(() => loadContract(path))
      .catch((error: unknown) => {
        if (error instanceof ContractError) return undefined
        throw error
      })
    if (contract === undefined || contract.methods.length === 0) return t.comment('no methods, or incomplete')
    const mock = createMock({
      contract,
      methods: await loadMethods(contract),
      seed: 'mock',
      onError: t.error,
    })
    const server = await mock.listen({ port: 0, host: '127.0.0.1' })
    const options = ['--allow', 'write', '--assume-read', '*', '--explore', '500']
    for (const seed of seeds) {
      const lines: string[] = []
      const io = { out: (line: string) => lines.push(line), err: (line: string) => lines.push(line), env: {} }
      const args = ['conform', server.url, '--contract', path, ...options, '--seed', seed]
      t.equal(await main(args, io), 0, `seed ${seed}: ${lines.join('\n')}`)
    }
    await server.close()
  })
}
