import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../api/call.ts'
import type { ApiRole, ApiRoles, ApiSession } from '../api/types.ts'
import { has, useSession } from '../session/session.ts'

/** The roles that the session may see, and all permissions. */
export const useRoles = () =>
  useQuery({ queryKey: ['roles'], queryFn: () => apiGet<ApiRoles>('/roles'), staleTime: 60_000 })

/** Whether the session has every permission of a role somewhere; the API checks where. */
const mayGive = (session: ApiSession, { permissions }: ApiRole): boolean =>
  permissions.every((permission) => has(session, permission))

const none: readonly ApiRole[] = []

/** The roles that the session can give to people; empty until loaded. */
export function useGivableRoles(): readonly ApiRole[] {
  const session = useSession()
  const { data } = useRoles()
  return data?.data.filter((role) => role.name !== 'intake' && mayGive(session, role)) ?? none
}
