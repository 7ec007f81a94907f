import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler, type IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { type IPodDisruptionBudget, PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import {
  ConfigMap,
  type IConfigMap,
  type ISecret,
  type IService,
  Namespace,
  Secret,
  Service,
} from 'kubernetes-models/v1'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { limits } from '../../generated/contract.js'
import { readSettings } from '../../src/service/gateway/index.js'
import { accepts } from '../support/accepts.js'
import { freePort } from '../support/free-port.js'
import { type ImageFiles, imageFiles } from '../support/image.js'
import { startPostgres } from '../support/postgres.js'
import { processesBelow } from '../support/processes.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { findTool } from '../support/tools.js'
import { tsc } from '../support/tsc.js'
import { until } from '../support/until.js'

/** The manifests as kubectl renders them, held to the types and validators of the published OpenAPI of Kubernetes. */
const run = promisify(execFile)
const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const read = (name: string) => readFile(join(deploy, name), 'utf8')
const kubectl = await findTool('kubectl')

const folder = await temporaryFolder(t)
await cp(join(deploy, 'kubernetes'), folder, { recursive: true })
await rename(join(folder, 'secret.example.yaml'), join(folder, 'secret.yaml'))
const { stdout } = await run(kubectl, ['kustomize', folder])

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

const manifests: readonly Manifest[] = parseAllDocuments(stdout).map((document) => document.toJS())
const oneOf = <Kind>(kind: string) => manifests.find((one) => one.kind === kind) as Kind
const deployment = oneOf<IDeployment>('Deployment')
const pod = deployment.spec?.template.spec
const container = pod?.containers[0]
const settings = oneOf<IConfigMap>('ConfigMap')
const secrets = oneOf<ISecret>('Secret')

/** Models with their validators, and the modules of their types. */
const models = {
  ConfigMap: [ConfigMap, 'v1'],
  Deployment: [Deployment, 'apps/v1'],
  HorizontalPodAutoscaler: [HorizontalPodAutoscaler, 'autoscaling/v2'],
  Namespace: [Namespace, 'v1'],
  PodDisruptionBudget: [PodDisruptionBudget, 'policy/v1'],
  Secret: [Secret, 'v1'],
  Service: [Service, 'v1'],
} as const

t.test('every manifest has the values and only the names that Kubernetes knows', async (t) => {
  t.same(manifests.map(({ kind }) => kind).sort(), Object.keys(models).sort())
  // Validators accept unknown names, such as a misspelt probe; types refuse them.
  const typed = manifests.map((manifest, at) => {
    const [model, module] = models[manifest.kind as keyof typeof models]
    t.equal(manifest.apiVersion, model.apiVersion, manifest.kind)
    t.doesNotThrow(() => new model(manifest as never).validate(), manifest.kind)
    const type = `I${manifest.kind}`
    return `import type { ${type} as T${at} } from 'kubernetes-models/${module}'
export const manifest${at}: T${at} = ${JSON.stringify(manifest, null, 2)}\n`
  })
  await symlink(modules, join(folder, 'node_modules'))
  await writeFile(join(folder, 'manifests.ts'), typed.join(''))
  const options =
    '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2023 --types node'.split(
      ' ',
    )
  t.equal(await tsc([...options, join(folder, 'manifests.ts')]), '')
})

t.test('the settings are valid, and use only secrets that exist', async (t) => {
  const env = secrets.stringData ?? {}
  const file = { name: 'concordat.yaml', text: settings.data?.['concordat.yaml'] ?? '' }
  const { databaseUrl, nodes, port, metrics, host } = readSettings(env, { file })
  const { dataFolder } = parse(file.text)
  t.match(databaseUrl, /^postgres:/)
  t.match(nodes.main, [{ name: 'own' }, { url: `https://provider.example.net/v2/${env['PROVIDER_KEY']}` }])
  t.throws(() => readSettings({}, { file }), /PROVIDER_KEY/)
  t.equal(container?.envFrom?.[0]?.secretRef?.name, secrets.metadata?.name)

  const [, command = ''] = /^ENTRYPOINT .*\nCMD (.*)$/m.exec(await read('Dockerfile')) ?? []
  const [name, option, path = ''] = container?.args ?? []
  t.same([name], JSON.parse(command), 'the command of the image')
  t.equal(option, '--config')
  const mounts = Object.fromEntries((container?.volumeMounts ?? []).map((one) => [one.name, one.mountPath]))
  t.equal(path, `${mounts['settings']}/concordat.yaml`)
  t.equal(dataFolder, mounts['data'])
  const volumes = pod?.volumes?.find((one) => one.name === 'settings')
  t.equal(volumes?.configMap?.name, settings.metadata?.name)

  t.equal(host, '0.0.0.0')
  const ports = Object.fromEntries((container?.ports ?? []).map((one) => [one.name, one.containerPort]))
  t.same(ports, { http: port, metrics: metrics.port })
  const image = /^EXPOSE (.*)$/m.exec(await read('Dockerfile'))?.[1]
  t.equal(image, `${port} ${metrics.port}`)
  const example = parse(await read('concordat.yaml'))
  t.same([example.port, example.metrics.port, example.dataFolder], [port, metrics.port, dataFolder])
})

t.test('probes, the signal and the disruption budget follow the life of the service', async (t) => {
  const guide = parse(
    /^### Kubernetes$.*?^```yaml\n(.*?)^```/ms.exec(
      await readFile(join(deploy, '../docs/operator.md'), 'utf8'),
    )?.[1] ?? '',
  )
  const shown = guide.containers[0]
  const withPort = (probe: { httpGet: object }) => ({ ...probe, httpGet: { ...probe.httpGet, port: 'http' } })
  t.match(container?.readinessProbe, withPort(shown.readinessProbe))
  t.match(container?.livenessProbe, withPort(shown.livenessProbe))
  t.same(container?.lifecycle, shown.lifecycle)
  t.equal(pod?.terminationGracePeriodSeconds, guide.terminationGracePeriodSeconds)
  const [, wait] = container?.lifecycle?.preStop?.exec?.command ?? []
  const [, supervisor] = /^TimeoutStopSec=(\d+)$/m.exec(await read('concordat.service')) ?? []
  t.ok(Number(supervisor) > limits.gracefulStopSeconds)
  const least = Number(wait) + Number(supervisor)
  t.ok(Number(pod?.terminationGracePeriodSeconds) >= least, 'the drain begins after the delay')

  const budget = oneOf<IPodDisruptionBudget>('PodDisruptionBudget')
  const service = oneOf<IService>('Service')
  const labels = deployment.spec?.template.metadata?.labels
  for (const selector of [deployment.spec?.selector, budget.spec?.selector])
    t.same(selector?.matchLabels, labels)
  t.same(service.spec?.selector, labels)
  t.equal(service.spec?.ports?.[0]?.targetPort, 'http')
  const scaler = oneOf<IHorizontalPodAutoscaler>('HorizontalPodAutoscaler')
  t.match(deployment, {
    ...scaler.spec?.scaleTargetRef,
    name: undefined,
    metadata: { name: scaler.spec?.scaleTargetRef.name },
  })
  t.ok(Number(scaler.spec?.minReplicas) > Number(budget.spec?.maxUnavailable), 'a drain never stops all')
  t.equal(deployment.spec?.replicas, undefined, 'the autoscaler decides')
})

t.test('the pod meets the profile "restricted", on a read-only root file system', async (t) => {
  const { metadata } = oneOf<Manifest & { metadata: { labels: object } }>('Namespace')
  t.match(metadata.labels, { 'pod-security.kubernetes.io/enforce': 'restricted' })
  t.match(pod, {
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  })
  t.ok(Number(pod?.securityContext?.runAsUser) > 0)
  t.match(container?.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  t.match(await read('Dockerfile'), /^USER node$/m)
})

t.test('the heap is half of the memory, as the guide for containers says', async (t) => {
  const heap = container?.env?.find(({ name }) => name === 'NODE_OPTIONS')?.value
  const gibibytes = Number(/^(\d+)Gi$/.exec(String(container?.resources?.limits?.['memory']))?.[1])
  t.equal(heap, `--max-old-space-size=${gibibytes * 512}`)
  t.equal(container?.resources?.requests?.['memory'], container?.resources?.limits?.['memory'])
})

/** The folders above a path, the highest first. */
const foldersAbove = (path: string) =>
  path
    .split('/')
    .slice(1, -1)
    .map((_, at, names) => `/${names.slice(0, at + 1).join('/')}`)

/**
 * A container of the pod: an own, read-only root with the folders of the system, the files of the image, and the volumes
 * of the manifest. It runs as the user of the manifest, without capabilities.
 * @param mounted folder with the data of the ConfigMap
 * @param env its whole environment
 */
async function containerOf(files: ImageFiles, mounted: string, env: Readonly<Record<string, string>>) {
  const bwrap = await findTool('bubblewrap')
  const mounts = (container?.volumeMounts ?? []).flatMap(({ name, mountPath, readOnly }) => {
    const dirs = foldersAbove(mountPath).flatMap((path) => ['--perms', '0755', '--dir', path])
    if (pod?.volumes?.find((one) => one.name === name)?.emptyDir === undefined)
      return [...dirs, readOnly === true ? '--ro-bind' : '--bind', mounted, mountPath]
    return [...dirs, '--perms', '0777', '--tmpfs', mountPath]
  })
  const system = [
    '--symlink',
    'usr/bin',
    '/bin',
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
  ]
  const root = ['--tmpfs', '/', '--ro-bind', '/usr', '/usr', ...system, '--dev', '/dev', '--proc', '/proc']
  const own = [
    ...['--perms', '0755', '--dir', '/opt', '--perms', '0755', '--dir', '/opt/concordat'],
    ...files.flatMap(([path, name]) => ['--ro-bind', path, `/opt/concordat/${name}`]),
  ]
  const node = ['--ro-bind', process.execPath, '/opt/node']
  const variables = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])
  const { runAsUser, runAsGroup } = pod?.securityContext ?? {}
  const user = [
    '--reuid',
    `${runAsUser}`,
    '--regid',
    `${runAsGroup}`,
    '--clear-groups',
    '--bounding-set=-all',
  ]
  return {
    command: bwrap,
    args: [
      ...root,
      ...own,
      ...node,
      ...mounts,
      '--clearenv',
      ...variables,
      '--remount-ro',
      '/',
      '--die-with-parent',
      '--chdir',
      '/opt/concordat',
    ],
    user: ['setpriv', ...user, '--no-new-privs', '--', '/opt/node'],
  }
}

t.test(
  'the container serves without root, capabilities and a writable root, and stops in time',
  async (t) => {
    const postgres = await startPostgres(t)
    const mounted = join(folder, 'settings')
    await mkdir(mounted)
    for (const [name, text] of Object.entries(settings.data ?? {})) await writeFile(join(mounted, name), text)
    const [http, metrics] = [await freePort(), await freePort()]
    const env = {
      ...secrets.stringData,
      DATABASE_URL: await postgres.createDatabase('pod'),
      ...{ CONCORDAT_HOST: '127.0.0.1', CONCORDAT_PORT: `${http}`, CONCORDAT_METRICS_PORT: `${metrics}` },
      ...Object.fromEntries((container?.env ?? []).map(({ name, value = '' }) => [name, value])),
    }
    const { command, args, user } = await containerOf(await imageFiles(t), mounted, env)
    const attempt =
      "try { fs.writeFileSync('/opt/x', ''); console.log('written') } catch ({ code }) { console.log(code) }"
    const { stdout } = await run(command, [...args, ...user, '-e', attempt])
    t.match(stdout, /^(?:EROFS|EACCES)$/m)
    const service = spawn(command, [...args, ...user, 'bin/concordat.js', ...(container?.args ?? [])], {
      env,
    })
    let output = ''
    for (const stream of [service.stdout, service.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const ended = once(service, 'exit')
    t.teardown(() => service.kill('SIGKILL'))
    const ports: Readonly<Record<string, number>> = { http, metrics }
    const probe = async ({ httpGet }: { httpGet?: { path?: string; port: string | number } }) =>
      (await fetch(`http://127.0.0.1:${ports[`${httpGet?.port}`]}${httpGet?.path}`)).status
    await until(async () => service.exitCode !== null || (await accepts(http)))
    t.equal(service.exitCode, null, output)
    for (const one of [container?.startupProbe, container?.readinessProbe, container?.livenessProbe])
      t.equal(await probe(one ?? {}), 200)
    t.equal(await probe({ httpGet: { path: '/metrics', port: 'metrics' } }), 200)
    const [pid = 0] = (await processesBelow(service.pid ?? 0)).map((facts) => facts.pid)
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    t.match(status, new RegExp(`^Uid:\\t${pod?.securityContext?.runAsUser}\\t`, 'm'))
    t.match(status, /^CapBnd:\t0+$/m)
    process.kill(pid, 'SIGTERM')
    t.same(await ended, [0, null], output)
  },
)
