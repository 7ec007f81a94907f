import { optional, pythonModels } from './python-models.js'

/**
 * Emits a Python client for httpx and pydantic 2: `client.py` with a model for each object, and a method for each method
 * of the contract.
 * @type {import('concordat/codegen').Emit}
 */
export function emit(contract, options) {
  const models = pythonModels(contract)
  const names = new Set(['url', 'http', 'close'])
  const methods = contract.methods.map((method) =>
    methodText(method, models, models.unique(names, method.name)),
  )
  const content = [
    ...[imports, errorClass, ...models.texts(), clientClass(contract, options)],
    ...methods,
    '',
  ].join('\n')
  return [{ path: `${options.folder ?? 'python'}/client.py`, content }]
}

const imports = `from __future__ import annotations

from typing import Any, Literal

import httpx
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
`

const errorClass = `
class RpcError(Exception):
    """An error that the server returned."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.data = data


class Model(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=True, protected_namespaces=())
`

function clientClass({ title, version }, { timeoutSeconds = 30 }) {
  return `
class Client:
    ${docText(`${title} ${version}`)}

    def __init__(self, url: str, http: httpx.Client | None = None) -> None:
        self._url = url
        self._http = http or httpx.Client(timeout=${timeoutSeconds})
        self._last_id = 0

    def _send(self, message: dict[str, Any]) -> Any:
        body = TypeAdapter(Any).dump_python(message, mode="json", by_alias=True, exclude_unset=True)
        response = self._http.post(self._url, json={"jsonrpc": "2.0", **body})
        answer = response.json() if response.content else {}
        if "error" in answer:
            raise RpcError(**{name: answer["error"].get(name) for name in ("code", "message", "data")})
        response.raise_for_status()
        return answer.get("result")

    def _call(self, method: str, params: Any, result: Any) -> Any:
        self._last_id += 1
        answer = self._send({"id": self._last_id, "method": method, "params": params})
        return TypeAdapter(result).validate_python(answer)
`
}

function methodText(method, models, name) {
  const names = new Set(['self', 'result', 'params'])
  const params = method.params.map((param) => ({
    ...param,
    python: models.unique(names, param.name),
    type: models.typeOf(param.schema, `${method.name}_${param.name}`),
  }))
  const given = params.map(({ python, type, required }) =>
    required ? `${python}: ${type}` : `${python}: ${optional(type)} = None`,
  )
  const signature = ['self', ...(given.length > 0 ? ['*', ...given] : [])].join(', ')
  const result = method.result && models.typeOf(method.result.schema, `${method.name}_result`)
  const call = result
    ? `return self._call(${text(method.name)}, params, ${result})`
    : `self._send({"method": ${text(method.name)}, "params": params})`
  return `
    def ${name}(${signature}) -> ${result ?? 'None'}:
        ${docText(method.summary ?? method.description ?? method.name)}
${method.paramStructure === 'by-name' ? namedParams(params) : listedParams(params)}
        ${call}`
}

/** Parameters by name. An optional parameter that is None is left out. */
function namedParams(params) {
  const entry = ({ name, python }) => `${text(name)}: ${python}`
  const optional = params.filter(({ required }) => !required)
  const lines = [
    `params: Any = {${params
      .filter(({ required }) => required)
      .map(entry)
      .join(', ')}}`,
  ]
  if (optional.length > 0) {
    const given = `{${optional.map(entry).join(', ')}}`
    lines.push(`params |= {name: value for name, value in ${given}.items() if value is not None}`)
  }
  return indented(lines)
}

/** Parameters by position. Optional parameters at the end that are None are left out. */
function listedParams(params) {
  const required = params.findLastIndex((param) => param.required) + 1
  const lines = [`params: Any = [${params.map(({ python }) => python).join(', ')}]`]
  if (required < params.length) {
    lines.push(`while len(params) > ${required} and params[-1] is None:`, '    params.pop()')
  }
  return indented(lines)
}

function indented(lines) {
  return lines.map((line) => `        ${line}`).join('\n')
}

function docText(value) {
  return `"""${value
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', "'")
    .trim()}"""`
}

const text = (value) => JSON.stringify(value)
