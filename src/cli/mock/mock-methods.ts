import { validatorsText } from '../../codegen/index.js'
import type { Contract, Method } from '../../contract/index.js'
import type { MethodDescriptor, Validator } from '../../rpc/index.js'
import type { Methods } from '../../server/index.js'

/** What a generated `validators.js` exports. */
interface ValidatorModule {
  readonly validators: Readonly<Record<string, { readonly params: Validator; readonly result: Validator }>>
}

/**
 * The methods of a contract with the validators that `concordat generate` writes, loaded without a file: a mistake in
 * the parameters is told in the words of the generated server.
 * @throws ContractError where a schema cannot be honoured
 */
export async function loadMethods(contract: Contract): Promise<Methods> {
  const text = validatorsText(contract, { name: 'concordat', version: '' })
  const code = Buffer.from(text).toString('base64')
  const { validators } = (await import(`data:text/javascript;base64,${code}`)) as ValidatorModule
  return Object.fromEntries(
    contract.methods.flatMap((method) => {
      const own = Object.hasOwn(validators, method.name) ? validators[method.name] : undefined
      return own ? [[method.name, descriptor(method, own.params, own.result)]] : []
    }),
  )
}

/** As `methods.ts` has it. */
function descriptor(method: Method, validateParams: Validator, validateResult: Validator): MethodDescriptor {
  return {
    name: method.name,
    params: method.params.map(({ name, required, default: preset }) => ({
      name,
      required,
      ...(preset === undefined ? {} : { default: preset }),
    })),
    paramStructure: method.paramStructure,
    notification: method.result === undefined,
    extensions: method.extensions,
    validateParams,
    validateResult,
  }
}
