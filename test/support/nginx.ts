import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findInPackage } from './debian-package.js'
import { freePort } from './free-port.js'
import { until } from './until.js'

const program = '/usr/sbin/nginx'

type Test = { teardown: (work: () => unknown) => void; comment: (text: string) => void }

/**
 * Starts nginx as a round-robin load balancer; it is stopped when the test ends.
 * @param origins of the servers, such as `http://127.0.0.1:8080`
 * @returns its own origin
 */
export async function startNginx(t: Test, origins: readonly string[]): Promise<string> {
  await findInPackage('nginx-light', isThere, (text) => t.comment(text))
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'concordat-nginx-'))
  const port = await freePort()
  await writeFile(join(folder, 'nginx.conf'), configuration(folder, port, origins))
  const args = ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'error.log')]
  // nginx exits with this process, however this process ends.
  const server = spawn('setpriv', ['--pdeathsig', 'TERM', program, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  t.teardown(async () => {
    if (server.exitCode === null && server.signalCode === null) {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
    }
    await rm(folder, { recursive: true, force: true })
  })
  const hasExited = () => server.exitCode !== null || server.signalCode !== null
  await until(async () => hasExited() || (await answers(port)))
  if (hasExited()) throw new Error(`nginx exited before it was ready:\n${output}`)
  return `http://127.0.0.1:${port}`
}

const isThere = () =>
  access(program, constants.X_OK).then(
    () => true,
    () => undefined,
  )

function configuration(folder: string, port: number, origins: readonly string[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${folder}/${name};`,
  )
  return `daemon off;
master_process off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
${temporary.join('\n')}
  upstream replicas {
${origins.map((origin) => `    server ${new URL(origin).host};`).join('\n')}
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
}
`
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
