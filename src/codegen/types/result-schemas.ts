import { type Contract, type Method, reachableSchemas } from '../../contract/index.js'

const known = new WeakMap<Contract, ReadonlySet<string>>()

/** Returns the pointers of the schemas that only results use, and no parameter. */
export function resultSchemas(contract: Contract): ReadonlySet<string> {
  const found = known.get(contract) ?? findResultSchemas(contract)
  known.set(contract, found)
  return found
}

function findResultSchemas(contract: Contract): ReadonlySet<string> {
  const reached = (part: (method: Method) => Method) => {
    const methods = contract.methods.map(part)
    const all = reachableSchemas({ ...contract, methods, schemas: [], errors: [] })
    return all.map(({ pointer }) => pointer)
  }
  const taken = new Set(reached((method) => ({ ...method, result: undefined })))
  return new Set(reached((method) => ({ ...method, params: [] })).filter((pointer) => !taken.has(pointer)))
}
