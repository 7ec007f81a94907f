import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { PackedPackage } from '../../bin/pack-packages.js'

/** A registry that has the packed packages of this project. */
export interface PackageRegistry {
  /** Settings of npm, as environment variables. */
  readonly env: Readonly<Record<string, string>>
  /** Archives of the published packages, by name. */
  readonly published: ReadonlyMap<string, Buffer>
}

const run = promisify(execFile)

/** Starts a registry. It redirects requests for other packages to the registry that npm uses here. */
export async function startPackageRegistry(
  t: { readonly teardown: (work: () => unknown) => void },
  packed: readonly PackedPackage[],
): Promise<PackageRegistry> {
  const elsewhere = (await run('npm', ['config', 'get', 'registry'])).stdout.trim()
  const published = new Map<string, Buffer>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? '')
    const json = (value: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
    if (request.method === 'PUT') {
      let body = ''
      for await (const part of request.setEncoding('utf8')) body += part
      const [attachment] = Object.values<{ readonly data: string }>(JSON.parse(body)._attachments)
      published.set(name, Buffer.from(attachment?.data ?? '', 'base64'))
      return json({ ok: true })
    }
    const archive = packed.find((one) => one.archive.endsWith(name))
    if (archive !== undefined) return response.end(await readFile(archive.archive))
    const own = packed.find((one) => one.name === name)
    if (own !== undefined) return json(await describe(own, `http://${request.headers.host}`))
    return response.writeHead(302, { location: new URL(request.url?.slice(1) ?? '', elsewhere).href }).end()
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    published,
    env: {
      npm_config_registry: `http://${host}/`,
      [`npm_config_//${host}/:_authToken`]: 'a-token-of-the-reader',
      npm_config_replace_registry_host: 'never',
      npm_config_prefer_offline: 'true',
      npm_config_audit: 'false',
    },
  }
}

/** The document of a package that a registry serves. */
async function describe({ name, version, archive }: PackedPackage, origin: string): Promise<object> {
  const { stdout } = await run('tar', ['xzOf', archive, 'package/package.json'])
  const integrity = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`
  const dist = { tarball: `${origin}/${archive.split('/').at(-1)}`, integrity }
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...JSON.parse(stdout), dist } },
  }
}
