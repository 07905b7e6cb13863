import { Button, Checkbox, Fieldset, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import { useOrganizations } from '../api/lookups.ts'
import type { ApiRole, ApiRoles } from '../api/types.ts'
import { handleSubmit } from '../forms/form-state.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { has, useSession } from '../session/session.ts'

interface EditRoleProps {
  /** Default: a new role. */
  readonly role?: ApiRole
  /** All permissions. */
  readonly permissions: ApiRoles['permissions']
  readonly onClose: () => void
}

/** Creates or changes a custom role. */
export default function EditRole({ role, permissions, onClose }: EditRoleProps) {
  const queries = useQueryClient()
  const { organization_codes: ownCodes } = useSession()
  const [name, setName] = useState(role?.name ?? '')
  const [description, setDescription] = useState(role?.description ?? '')
  const [code, setCode] = useState(role?.organization_code ?? null)
  const [chosen, setChosen] = useState<string[]>([...(role?.permissions ?? [])])
  const save = useMutation({
    mutationFn: () => {
      const body = { description: description.trim(), permissions: chosen }
      if (role === undefined)
        return apiCall('POST', '/roles', { body: { name: name.trim(), organization_code: code, ...body } })
      const headers = { 'if-match': `"${role.revision}"` }
      return apiCall('PATCH', `/roles/${encodeURIComponent(role.name)}`, { body, headers })
    },
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['roles'] })
      onClose()
    },
  })
  const isComplete =
    name.trim() !== '' && chosen.length > 0 && (code !== null || ownCodes === null || role !== undefined)
  return (
    <Dialog
      opened
      onClose={onClose}
      title={role === undefined ? 'New role' : `Change role: ${showInvisible(role.name)}`}
      size="lg"
    >
      <form onSubmit={handleSubmit(() => save.mutate())}>
        <Stack>
          {role === undefined && (
            <>
              <TextInput
                label="Name"
                placeholder="case_desk"
                description="At most 32 letters, digits and underscores. It cannot change later."
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                required
                data-autofocus
              />
              <RoleOrganization code={code} onChoose={setCode} />
            </>
          )}
          <TextInput
            label="Description"
            placeholder="Works on cases"
            value={description}
            maxLength={200}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <Permissions permissions={permissions} chosen={chosen} onChange={setChosen} />
          {role !== undefined && (
            <Text size="sm">
              The change applies to everyone who has the role, from the next request on. Open invitation links
              of these people end if the role gets a permission.
            </Text>
          )}
          {save.isError && <ErrorAlert error={save.error} />}
          <Button type="submit" loading={save.isPending} disabled={!isComplete}>
            {role === undefined ? 'Create role' : 'Save role'}
          </Button>
        </Stack>
      </form>
    </Dialog>
  )
}

interface RoleOrganizationProps {
  readonly code: string | null
  readonly onChoose: (code: string | null) => void
}

function RoleOrganization({ code, onChoose }: RoleOrganizationProps) {
  const { codes, error } = useOrganizations()
  const { organization_codes: ownCodes } = useSession()
  const isForAll = ownCodes === null
  return (
    <Select
      label="Organization"
      description={
        isForAll ? 'Leave blank for a role that can be given in all.' : 'Where the role can be given.'
      }
      data={[...codes]}
      value={code}
      onChange={onChoose}
      error={error}
      clearable={isForAll}
      required={!isForAll}
    />
  )
}

interface PermissionsProps extends Pick<EditRoleProps, 'permissions'> {
  readonly chosen: string[]
  readonly onChange: (chosen: string[]) => void
}

/** All permissions by area. Those that the session does not have cannot be chosen. */
function Permissions({ permissions, chosen, onChange }: PermissionsProps) {
  const session = useSession()
  const areas = Map.groupBy(permissions, ({ permission }) => permission.split(':', 1)[0] ?? '')
  return (
    <Checkbox.Group label="Permissions" value={chosen} onChange={onChange}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
        {[...areas].map(([area, own]) => (
          <Fieldset key={area} legend={area}>
            <Stack gap="xs">
              {own.map(({ permission, meaning }) => (
                <Checkbox
                  key={permission}
                  value={permission}
                  label={permission.slice(area.length + 1)}
                  description={meaning}
                  disabled={!has(session, permission)}
                />
              ))}
            </Stack>
          </Fieldset>
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  )
}
