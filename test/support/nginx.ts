import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { replaced, startBalancer, type BalancerTest as Test, withEachServer } from './balancer.js'
import { freePort } from './free-port.js'
import { temporaryFolder } from './temporary-folder.js'
import { findTool } from './tools.js'

const shipped = (name: string) =>
  readFile(fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url)), 'utf8')

/** A running nginx with the shipped files. */
export interface Nginx {
  readonly origin: string
  readonly port: number
  /** Returns the text of its logs. */
  logs(): Promise<string>
}

/** Options of {@link startShippedNginx}. */
export interface NginxOptions {
  /** Port of nginx. The default is a free port. */
  readonly port?: number
  /** Additional replacements in `nginx.conf`. */
  readonly change?: (site: string) => string
  /** Additional replacements in `nginx-stream.conf`. */
  readonly changeStream?: (stream: string) => string
}

/**
 * Starts nginx as a plain proxy that writes no log, to compare its cost with that of the service.
 * @param origins origins of the servers, such as `http://127.0.0.1:8080`
 * @returns origin of nginx
 */
export async function startNginx(t: Test, origins: readonly string[]): Promise<string> {
  const folder = await temporaryFolder(t)
  const port = await freePort()
  await startWith(t, folder, port, plainSite(port, origins))
  return `http://127.0.0.1:${port}`
}

const plainSite = (port: number, origins: readonly string[]) => `access_log off;
upstream replicas {
${origins.map((origin) => `  server ${new URL(origin).host};`).join('\n')}
  keepalive 64;
  keepalive_requests 1000000;
}
server {
  listen 127.0.0.1:${port};
  client_max_body_size 6m;
  keepalive_requests 1000000;
  location / {
    proxy_pass http://replicas;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
  }
}
`

/**
 * Starts nginx with the shipped files, and stops it when the test ends. Only addresses, ports and paths of logs are
 * replaced in the files.
 * @param origins origins of the services, such as `http://127.0.0.1:8080`. The lines of the service in the file are
 * repeated for each of them, as its comment tells operators.
 */
export async function startShippedNginx(
  t: Test,
  origins: readonly string[],
  { port: own, change = unchanged, changeStream = unchanged }: NginxOptions = {},
): Promise<Nginx> {
  const folder = await temporaryFolder(t)
  const port = own ?? (await freePort())
  const inner = `127.0.0.1:${await freePort()}`
  const hosts = origins.map((origin) => new URL(origin).host)
  const site = replaced(withEachServer(change(await shipped('nginx.conf')), '127.0.0.1:8080', hosts), [
    ['127.0.0.1:8079', inner],
    ['/var/log/nginx', folder],
  ])
  const stream = replaced(changeStream(await shipped('nginx-stream.conf')), [
    ['listen 80 ', `listen 127.0.0.1:${port} `],
    ['127.0.0.1:8079', inner],
  ])
  await startWith(t, folder, port, site, { module: await findTool('nginx stream module'), stream })
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    logs: async () => (await Promise.all(logs.map((name) => readFile(join(folder, name), 'utf8')))).join(''),
  }
}

const logs = ['concordat.log', 'concordat-error.log']

const unchanged = (text: string) => text

/**
 * @param site configuration in the `http` context
 * @param streams configuration in the main context, and the module that it needs
 */
async function startWith(
  t: Test,
  folder: string,
  port: number,
  site: string,
  streams?: { readonly module: string; readonly stream: string },
): Promise<void> {
  await writeFile(join(folder, 'site.conf'), site)
  await writeFile(join(folder, 'stream.conf'), streams?.stream ?? '')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const main = join(folder, 'main.conf')
  await writeFile(
    main,
    `${streams === undefined ? '' : `load_module ${streams.module};`}
     daemon off; master_process off; pid ${folder}/nginx.pid;
     events { worker_connections 20000; }
     include ${folder}/stream.conf;
     http { ${temporary.join(' ')} include ${folder}/site.conf; }`,
  )
  const args = ['-c', main, '-p', folder, '-e', join(folder, 'start.log')]
  await startBalancer(t, { program: await findTool('nginx'), check: ['-t', ...args], args, port })
}
