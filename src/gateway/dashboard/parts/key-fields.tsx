import type { DashboardLimits } from '../dashboard-services.js'
import { type FormProblems, Input, Select, TextArea } from './form.js'
import { nodeServiceOptions, useCaseOptions } from './purposes.js'

/** What is said of a key, as it was typed. */
export interface KeyDetails {
  readonly name: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
}

/** What a form of these fields holds; a description is one line, whatever was pasted. */
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

/** What a key is called. */
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

/** What is written of a key. */
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

/** What a key is for (specification 4.3). */
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
