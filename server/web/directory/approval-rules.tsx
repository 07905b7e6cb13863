import { Alert, Button, Group, List, Loader, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiAll, apiCallTagged, type Tagged } from '../api/call.ts'
import { apiProblem } from '../api/problem.ts'
import { rolesWith } from '../../../core/access/permissions.ts'
import { FormError } from '../forms/schema-form.tsx'
import { handleSubmit } from '../forms/form-state.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import type { ApiApprovalRules, ApiSkill, ListedKey } from '../api/types.ts'
import { errorsOfRule, movedUp, newRule, type ApproverOption, type RuleInForm } from './approval-rule.ts'
import { useRoles } from '../people/use-roles.ts'
import { RuleFields, type RuleOptions } from './rule-fields.tsx'

interface ApprovalRulesProps {
  /** Of the organization. */
  readonly code: string
  readonly onClose: () => void
}

/** Who must approve destructive actions of an organization. */
export default function ApprovalRulesDialog({ code, onClose }: ApprovalRulesProps) {
  const path = `/organizations/${encodeURIComponent(code)}/approval-rules`
  const loaded = useQuery({
    queryKey: [path],
    queryFn: () => apiCallTagged<ApiApprovalRules>('GET', path),
    // What is edited must not change meanwhile; a save notices other changes.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const options = useRuleOptions(code)
  return (
    <Dialog opened onClose={onClose} title={`Approval rules of ${code}`} size="xl">
      {loaded.isPending && <Loader size="sm" role="img" aria-label="Loading" />}
      {loaded.isError && <ErrorAlert error={loaded.error} onRetry={() => void loaded.refetch()} />}
      {loaded.data !== undefined && (
        <RulesForm loaded={loaded.data} path={path} options={options} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface AccountOption {
  readonly account_uuid: string
  readonly name: string
  readonly email: string
  readonly state: string
}

const approvingRoles: readonly string[] = rolesWith('approvals:write')

/** What the fields offer; empty until it is loaded. */
function useRuleOptions(code: string): RuleOptions {
  const skills = useQuery({ queryKey: ['skills', 'all'], queryFn: () => apiAll<ApiSkill>('/skills') })
  const keys = useQuery({
    queryKey: ['keys', code, 'active'],
    queryFn: () => apiAll<ListedKey>('/keys', { organization: code, state: 'usable' }),
  })
  const accounts = useQuery({
    queryKey: ['accounts', 'all'],
    queryFn: () => apiAll<AccountOption>('/accounts'),
  })
  const roles = useRoles()
  const destructive = (skills.data ?? []).filter(({ destructive: kind }) => kind !== null)
  const plugins = [...new Set(destructive.map(({ name }) => name.slice(0, name.indexOf('.'))))]
  const approvers: readonly ApproverOption[] = [
    ...(accounts.data ?? [])
      .filter(({ state }) => state === 'active')
      .map(({ account_uuid: uuid, name, email }) => ({
        value: `account ${uuid}`,
        label: showInvisible(`${name} (${email})`),
      })),
    ...(keys.data ?? [])
      .filter(({ role }) => approvingRoles.includes(role))
      .map(({ key_id: id, name }) => ({
        value: `key ${id}`,
        label: showInvisible(`API key ${name} (${id})`),
      })),
  ]
  return {
    roles:
      roles.data === undefined
        ? approvingRoles
        : roles.data.data
            .filter(
              ({ permissions, organization_code: own }) =>
                permissions.includes('approvals:write') && (own === null || own === code),
            )
            .map(({ name }) => name),
    skills: [
      ...destructive.map(({ name }) => name),
      ...plugins.filter((name) => name !== 'interface').map((name) => `${name}.*`),
    ].toSorted(),
    approvers,
  }
}

interface RulesFormProps {
  readonly loaded: Tagged<ApiApprovalRules>
  readonly path: string
  readonly options: RuleOptions
  readonly onClose: () => void
}

/** A rule in the form keeps its id when it is moved. */
interface EditedRule {
  readonly id: number
  readonly rule: RuleInForm
}

function RulesForm({ loaded, path, options, onClose }: RulesFormProps) {
  const queries = useQueryClient()
  const { warnings, server_rules: serverRules } = loaded.data
  const [rules, setRules] = useState<readonly EditedRule[]>(() =>
    loaded.data.rules.map((rule, id) => ({ id, rule })),
  )
  const save = useMutation({
    mutationFn: () =>
      apiCallTagged<ApiApprovalRules>('PUT', path, {
        body: { rules: rules.map(({ rule }) => rule) },
        headers: { 'if-match': loaded.etag ?? '*' },
      }),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: [path] })
      onClose()
    },
  })
  const { errors } = save.isError ? apiProblem(save.error) : {}
  const add = (): void =>
    setRules([...rules, { id: 1 + Math.max(-1, ...rules.map(({ id }) => id)), rule: newRule }])
  return (
    <form noValidate onSubmit={handleSubmit(() => save.mutate())}>
      <Stack>
        <Text size="sm">
          The first rule that matches a destructive action says who must approve it. Without a matching rule,
          only the hourly limit requires an approval. The requester can never approve.
        </Text>
        <Warnings warnings={warnings} />
        {rules.map(({ id, rule }, index) => (
          <RuleFields
            key={id}
            place={index + 1}
            rule={rule}
            options={options}
            errors={errorsOfRule(errors, index)}
            onChange={(next) => setRules(rules.with(index, { id, rule: next }))}
            onUp={index === 0 ? undefined : () => setRules(movedUp(rules, index))}
            onRemove={() => setRules(rules.toSpliced(index, 1))}
          />
        ))}
        {rules.length === 0 && (
          <Text size="sm" c="dimmed">
            No rules
          </Text>
        )}
        {serverRules.length > 0 && (
          <Text size="sm" c="dimmed">
            The server adds rules for all organizations (TOCSIN_APPROVALS):{' '}
            {serverRules
              .map(({ match, approvals }) => `${match?.classes?.join() ?? ''} ${approvals}`)
              .join(', ')}
          </Text>
        )}
        {save.isError && <FormError error={save.error} shown={errors?.length ?? 0} />}
        <Group justify="space-between">
          <Button variant="default" onClick={add}>
            Add rule
          </Button>
          <Group>
            <Button variant="default" onClick={onClose}>
              Back
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save rules
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  )
}

/** What deserves attention in the stored rules. */
function Warnings({ warnings }: Pick<ApiApprovalRules, 'warnings'>) {
  if (warnings.length === 0) return null
  return (
    <Alert color="orange" title="Check these rules">
      <List size="sm">
        {warnings.map(({ rule, message }) => (
          <List.Item key={`${rule} ${message}`}>
            Rule {rule}: {showInvisible(message)}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
