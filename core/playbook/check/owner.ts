import type { Playbook } from '../language/playbook.ts'

type Owned = Pick<Playbook, 'organization'>

/** Whether the organization with this code may run a playbook: its own, or a shared one. */
export const isFor = ({ organization }: Owned, code: string): boolean =>
  organization === undefined || organization.toLowerCase() === code.toLowerCase()

/** Whether both belong to the same organization, or both are shared. */
export const haveSameOwner = (a: Owned, b: Owned): boolean =>
  a.organization?.toLowerCase() === b.organization?.toLowerCase()

/** Whether a playbook of the first owner may call one of the second. */
export const mayCall = (caller: Owned, { organization }: Owned): boolean =>
  organization === undefined || haveSameOwner(caller, { organization })

/** Of the owner of a playbook, for messages. */
export const ownerText = ({ organization }: Owned): string =>
  organization === undefined ? 'all organizations' : `the organization ${organization}`
