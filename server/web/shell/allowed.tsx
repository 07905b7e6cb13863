import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSession } from '../session/session.ts'
import type { Role } from '../api/types.ts'
import { ViewTitle } from './view/view-title.tsx'

interface AllowedProps {
  readonly roles: readonly Role[]
  /** What keys of one organization may not do. */
  readonly isForAll?: boolean
  readonly children: ReactNode
}

/** Shows what is inside to those whom the API would let do it, and to the others that it would not. */
export function Allowed({ roles, isForAll = false, children }: AllowedProps) {
  const { role, organization_codes: codes } = useSession()
  if (roles.includes(role) && (!isForAll || codes === null)) return children
  return (
    <Stack align="flex-start">
      <ViewTitle>This is not for your key</ViewTitle>
      <Text>
        {role === 'intake'
          ? 'Keys with the role intake can only post alerts. Sign in with a key of another role to see them.'
          : `Your key has the role ${role}${codes === null ? '' : ` for ${codes.join(', ')}`}; this takes the role ${roles.join(' or ')}${isForAll ? ' for all organizations' : ''}. An administrator can make you such a key.`}
      </Text>
    </Stack>
  )
}
