import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'
import { projectsHome } from './init-harness.js'

const home = await projectsHome(t)
const at = (...names: readonly string[]) => join(home.folder, ...names)
const document = fileURLToPath(new URL('../fixtures/contracts/pet-store.json', import.meta.url))

/** Generates, builds and packs a package, and unpacks it in the folder `app` as npm installs it. */
async function publish(folder: string, name: string, ...options: readonly string[]): Promise<string[]> {
  const shell = home.shell()
  const command = `concordat generate ${document} --out ${folder} --package ${name} ${options.join(' ')}`
  const installed = at('app', 'node_modules', name)
  await mkdir(installed, { recursive: true })
  const { code, output } = await shell.run(
    `${command} && cd ${folder} && npm pack --silent --pack-destination .. && cd .. && ` +
      `tar xzf ${name.replace('@', '').replace('/', '-')}-1.2.3.tgz --strip-components=1 -C ${installed}`,
  )
  if (code !== 0) throw new TypeError(output)
  const packed = await shell.run(`cd ${installed} && find . -type f | sort`)
  return packed.output.trim().split('\n')
}

/** The modules that an import of these entry points loads, relative to the folder of all packages. */
async function modulesOf(source: string): Promise<readonly string[]> {
  const { metafile } = await build({
    stdin: { contents: source, resolveDir: at('app') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    preserveSymlinks: true,
    absWorkingDir: home.folder,
  })
  return Object.keys(metafile.inputs).filter((path) => path !== '<stdin>')
}

const modules = 'client contract document errors examples methods service types validators'.split(' ')
const built = (names: readonly string[]) =>
  [
    './README.md',
    ...names.flatMap((name) => [`./dist/${name}.d.ts`, `./dist/${name}.js`]),
    './package.json',
  ].sort()

const program = `import { RpcError } from '@concordat/rpc'
import { createServer } from '@concordat/server'
import { createClient, isRpcError } from '@acme/pets/client'
import { title } from '@acme/pets/contract'
import { errors } from '@acme/pets/errors'
import { examples } from '@acme/pets/examples'
import { methods } from '@acme/pets/methods'
import type { Handlers } from '@acme/pets/service'
import type { Pet } from '@acme/pets/types'
import { validators } from '@acme/pets/validators'
import { createClient as createSmall } from 'pets-client/client'

const rex: Pet = { id: 1, name: 'Rex', kind: 'dog' }
const handlers: Handlers = {
  listPets: () => [rex],
  addPet: () => { throw new RpcError({ code: 100, message: 'Pets are busy' }) },
  getPet: () => null,
  petSeen: () => {},
}
const server = await createServer({ methods, handlers }).listen({ port: 0 })
const [pet] = await createClient(server.url).listPets(1)
const [same] = await createSmall(server.url).listPets(1)
const refused: unknown = await createClient(server.url).addPet(rex).catch((error: unknown) => error)
await server.close()
console.log(JSON.stringify([
  title, pet?.name, same?.kind, isRpcError(refused) && refused.code,
  validators.listPets.params([0])[0]?.rule, Object.keys(errors).length > 0, Object.keys(examples).length > 0,
]))
`

t.test('a generated package publishes built files only, and every entry point works', async (t) => {
  await mkdir(at('app'), { recursive: true })
  await writeFile(at('app', 'package.json'), '{"private":true,"type":"module"}')
  t.same(await publish('pets', '@acme/pets'), built(modules))
  t.same(await publish('small', 'pets-client', '--only', 'client,types'), built(['client', 'types']))
  const { dependencies } = JSON.parse(await readFile(at('small', 'package.json'), 'utf8'))
  t.same(Object.keys(dependencies), ['@concordat/client'], 'the client needs its runtime alone')
  await writeFile(at('app', 'use.ts'), program)
  const strict = '--strict --target es2023 --lib es2023 --types node --exactOptionalPropertyTypes'
  const shell = home.shell('app')
  for (const module of ['nodenext', 'esnext --moduleResolution bundler']) {
    t.same(
      await shell.run(`tsc ${strict} --noEmit --module ${module} use.ts`),
      { code: 0, output: '' },
      module,
    )
  }
  t.same(await shell.run(`tsc ${strict} --module nodenext use.ts`), { code: 0, output: '' })
  t.same(await shell.run('node use.js'), {
    code: 0,
    output: '["Pet store","Rex","dog",100,"minimum",true,true]\n',
  })
})

t.test('the client entry loads neither validators nor server code', async (t) => {
  for (const name of ['@acme/pets', 'pets-client']) {
    const loaded = await modulesOf(`export * from '${name}/client'`)
    t.same(
      loaded.filter((path) => path.startsWith('app/')),
      [`app/node_modules/${name}/dist/client.js`],
    )
    const others = loaded.filter((path) => !path.startsWith('app/'))
    t.ok(others.length > 5)
    t.same(
      others.filter((path) => !/\/(?:client|rpc)\//.test(path)),
      [],
    )
  }
  const served = await modulesOf("export * from '@acme/pets/methods'")
  t.ok(served.includes('app/node_modules/@acme/pets/dist/validators.js'), 'which this test would see')
})

t.test('build output does not make a package stale', async (t) => {
  const check = `concordat generate ${document} --out pets --check`
  t.match(await home.shell().run(check), { code: 0, output: 'pets is current' })
  await cp(at('pets', 'dist', 'client.js'), at('pets', 'dist', 'former.js'))
  t.match(await home.shell().run(check), { code: 0, output: 'pets is current' })
})
