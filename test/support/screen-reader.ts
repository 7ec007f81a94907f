import type { Page } from 'playwright-core'

/** An element of the tree that Chromium gives to screen readers. */
export interface Spoken {
  readonly role: string
  readonly name: string
  readonly description: string
  readonly value: string
  /** Level of a heading; true for invalid, current and focused elements. */
  readonly level: number | undefined
  readonly invalid: boolean
  readonly focused: boolean
  readonly id: number
  readonly children: readonly Spoken[]
}

interface AxNode {
  readonly nodeId: string
  readonly ignored: boolean
  readonly role?: { readonly value: string }
  readonly name?: { readonly value: string }
  readonly description?: { readonly value: string }
  readonly value?: { readonly value: unknown }
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value: unknown } }[]
  readonly childIds?: readonly string[]
  readonly backendDOMNodeId?: number
}

/** A user of a page who perceives only the accessibility tree, and operates what it names. */
export interface ScreenReader {
  /** All elements, in the order in which they are read. */
  read(): Promise<readonly Spoken[]>
  /** Waits until the page has an element of this role and name. */
  find(role: string, name: string | RegExp): Promise<Spoken>
  /** Activates an element. */
  press(role: string, name: string | RegExp): Promise<void>
  /** Replaces the text of a field. */
  write(name: string, text: string): Promise<void>
}

/** Milliseconds between two looks at the tree. */
const lookMs = 20
const looks = 500

/** Opens a screen reader on a page by the protocol of Chromium (Accessibility domain). */
export async function openScreenReader(page: Page): Promise<ScreenReader> {
  const client = await page.context().newCDPSession(page)
  const read = async (): Promise<readonly Spoken[]> => {
    const { nodes } = (await client.send('Accessibility.getFullAXTree')) as { nodes: readonly AxNode[] }
    const byId = new Map(nodes.map((node) => [node.nodeId, node]))
    const spokenOf = (node: AxNode): readonly Spoken[] => {
      const children = (node.childIds ?? []).flatMap((id) => {
        const child = byId.get(id)
        return child === undefined ? [] : spokenOf(child)
      })
      if (node.ignored) return children
      const property = (name: string) => node.properties?.find((each) => each.name === name)?.value.value
      const invalid = property('invalid')
      return [
        {
          role: node.role?.value ?? '',
          name: node.name?.value ?? '',
          description: node.description?.value ?? '',
          value: String(node.value?.value ?? ''),
          level: property('level') as number | undefined,
          invalid: invalid !== undefined && invalid !== 'false',
          focused: property('focused') === true,
          id: node.backendDOMNodeId ?? 0,
          children,
        },
      ]
    }
    const inOrder = (spoken: Spoken): readonly Spoken[] => [spoken, ...spoken.children.flatMap(inOrder)]
    const [root] = nodes
    return root === undefined ? [] : spokenOf(root).flatMap(inOrder)
  }
  const fits = (text: string, wanted: string | RegExp) =>
    typeof wanted === 'string' ? text === wanted : wanted.test(text)
  const find = async (role: string, name: string | RegExp): Promise<Spoken> => {
    for (let n = 0; n < looks; n += 1) {
      // A page that is being replaced has no tree for a moment.
      const found = (await read().catch(() => [])).find((each) => each.role === role && fits(each.name, name))
      if (found !== undefined) return found
      await page.waitForTimeout(lookMs)
    }
    const heard = (await read()).map((each) => `${each.role} ${JSON.stringify(each.name)}`).join('\n')
    throw new Error(`no ${role} ${name} in:\n${heard}`)
  }
  const focus = async ({ id }: Spoken) => {
    await client.send('DOM.focus', { backendNodeId: id })
  }
  return {
    read,
    find,
    async press(role, name) {
      await focus(await find(role, name))
      await page.keyboard.press('Enter')
    },
    async write(name, text) {
      await focus(await find('textbox', name))
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(text)
    },
  }
}
