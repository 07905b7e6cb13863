import { useSession } from '../session/session.ts'

/** Playbooks are for all organizations: so is who may write them. */
export function useMayEdit(): boolean {
  const { role, organization_codes: codes } = useSession()
  return role === 'admin' && codes === null
}
