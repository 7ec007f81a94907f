import type { DashboardLimits } from '../dashboard-services.js'
import { type FormProblems, Input, Select, TextArea } from '../parts/form.js'

/** Name and purpose of a key, as entered. */
export interface KeyDetails {
  readonly name: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
}

/** Reads the details from a form. Line breaks in the description become spaces. */
export const readDetails = (form: (name: string) => string): KeyDetails => ({
  name: form('name'),
  description: form('description').replace(/\s+/g, ' '),
  useCase: form('useCase'),
  nodeService: form('nodeService'),
})

interface KeyFieldsProps {
  readonly values: KeyDetails | undefined
  readonly limits: DashboardLimits
  readonly problems: FormProblems | undefined
}

/** Field for the name of a key. */
export function NameField({ values, limits, problems, hint }: KeyFieldsProps & { readonly hint?: string }) {
  return (
    <Input
      name="name"
      label="Name"
      hint={hint}
      value={values?.name}
      autocomplete="off"
      required
      maxLength={limits.keyNameLength}
      problems={problems}
    />
  )
}

/** Field for the description of a key. */
export function DescriptionField({ values, limits, problems }: KeyFieldsProps) {
  return (
    <TextArea
      name="description"
      label="Description (optional)"
      value={values?.description}
      maxLength={limits.keyDescriptionLength}
      problems={problems}
    />
  )
}

/** Fields for use case and node service (specification 4.3). */
export function PurposeFields({ values, problems }: Omit<KeyFieldsProps, 'limits'>) {
  return (
    <>
      <Select
        name="useCase"
        label="Use case"
        value={values?.useCase}
        options={useCaseOptions(values?.useCase)}
        problems={problems}
      />
      <Select
        name="nodeService"
        label="Node service"
        value={values?.nodeService}
        options={nodeServiceOptions(values?.nodeService)}
        problems={problems}
      />
    </>
  )
}

const useCases = [
  'Wallet',
  'Exchange',
  'DeFi',
  'NFTs',
  'Games',
  'Payments',
  'Analytics',
  'Infrastructure',
  'Learning',
]
const nodeServices = ['JSON-RPC node API']

type Options = readonly (readonly [value: string, text: string])[]

const choice = (texts: readonly string[], current: string | undefined): Options => {
  const others = current && !texts.includes(current) ? [current] : []
  return [['', 'Not specified'], ...[...texts, ...others].map((text) => [text, text] as const)]
}

/**
 * Options for the use case of a key (specification 4.3).
 * @param current present value, which stays an option even if it is not in the list
 */
export const useCaseOptions = (current?: string): Options => choice(useCases, current)

/**
 * Options for the node service of a key (specification 4.3).
 * @param current present value, which stays an option even if it is not in the list
 */
export const nodeServiceOptions = (current?: string): Options => choice(nodeServices, current)
