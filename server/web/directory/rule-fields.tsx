import {
  Button,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import type { DestructiveClass } from '../../../core/plugin/index.ts'
import { showInvisible } from '../parts/outside-text.ts'
import { selectOptions, severityLooks } from '../parts/states.tsx'
import {
  namedOf,
  withNamed,
  type ApproverOption,
  type ApproversInForm,
  type RuleInForm,
} from './approval-rule.ts'

/** What the fields of a rule offer. */
export interface RuleOptions {
  /** Names of the roles that may approve. */
  readonly roles: readonly string[]
  readonly skills: readonly string[]
  readonly approvers: readonly ApproverOption[]
}

interface RuleFieldsProps {
  /** From 1. */
  readonly place: number
  readonly rule: RuleInForm
  readonly options: RuleOptions
  readonly errors: readonly string[]
  readonly onChange: (rule: RuleInForm) => void
  /** Undefined: it is the first. */
  readonly onUp: (() => void) | undefined
  readonly onRemove: () => void
}

/** The form of one rule. */
export function RuleFields({ place, rule, options, errors, onChange, onUp, onRemove }: RuleFieldsProps) {
  const { match = {}, by = {}, escalate = null } = rule
  const change = (part: Partial<RuleInForm>): void => onChange({ ...rule, ...part })
  const minutes = (value: number | string): number | null => (typeof value === 'number' ? value : null)
  return (
    <Fieldset legend={`Rule ${place}`}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          placeholder="Two people isolate machines"
          value={rule.name ?? ''}
          maxLength={200}
          onChange={(event) => change({ name: event.currentTarget.value || null })}
        />
        <MatchFields match={match} options={options} onChange={(next) => change({ match: next })} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NumberInput
            label="People who must approve"
            description="0: only the hourly limit requires an approval."
            min={0}
            max={5}
            value={rule.approvals}
            onChange={(value) => change({ approvals: typeof value === 'number' ? value : 0 })}
          />
          <NumberInput
            label="Expires after (minutes)"
            description="The action then fails. Default: a week."
            min={1}
            value={rule.expires_minutes ?? ''}
            onChange={(value) => change({ expires_minutes: minutes(value) })}
          />
        </SimpleGrid>
        <ApproverFields by={by} options={options} onChange={(next) => change({ by: next })} />
        <NumberInput
          label="Escalates after (minutes)"
          description="Then these people may also approve. Blank: never."
          min={1}
          value={escalate?.after_minutes ?? ''}
          onChange={(value) => {
            const after = minutes(value)
            change({
              escalate: after === null ? null : { by: { roles: [] }, ...escalate, after_minutes: after },
            })
          }}
        />
        {escalate !== null && (
          <ApproverFields
            prefix="Then also"
            by={escalate.by}
            options={options}
            onChange={(next) => change({ escalate: { ...escalate, by: next } })}
          />
        )}
        {errors.length > 0 && (
          <div role="alert">
            {errors.map((error) => (
              <Text key={error} size="sm" c="var(--mantine-color-error)">
                {showInvisible(error)}
              </Text>
            ))}
          </div>
        )}
        <Group gap="xs">
          <Button size="compact-xs" variant="default" disabled={onUp === undefined} onClick={onUp}>
            Move up
          </Button>
          <Button size="compact-xs" variant="subtle" color="red" onClick={onRemove}>
            Remove
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}

const classOptions = selectOptions<DestructiveClass>({
  containment: { text: 'Containment', color: 'gray' },
  blocking: { text: 'Blocking', color: 'gray' },
  deletion: { text: 'Deletion', color: 'gray' },
  execution: { text: 'Execution', color: 'gray' },
})

type Match = NonNullable<RuleInForm['match']>

interface MatchFieldsProps {
  readonly match: Match
  readonly options: RuleOptions
  readonly onChange: (match: Match) => void
}

/** What the rule is about. */
function MatchFields({ match, options, onChange }: MatchFieldsProps) {
  const change = (part: Match): void => onChange({ ...match, ...part })
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MultiSelect
          label="Classes"
          {...(!match.classes?.length && { placeholder: 'All' })}
          data={classOptions}
          value={[...(match.classes ?? [])]}
          onChange={(classes) => change({ classes })}
        />
        <MultiSelect
          label="Skills and interfaces"
          {...(!match.skills?.length && { placeholder: 'All' })}
          searchable
          limit={50}
          data={[...new Set([...options.skills, ...(match.skills ?? [])])]}
          value={[...(match.skills ?? [])]}
          onChange={(skills) => change({ skills })}
        />
        <Severity
          label="Severity at least"
          value={match.severity_at_least}
          onChange={(value) => change({ severity_at_least: value })}
        />
        <Severity
          label="Severity at most"
          value={match.severity_at_most}
          onChange={(value) => change({ severity_at_most: value })}
        />
      </SimpleGrid>
      <TagsInput
        label="Playbooks"
        {...(!match.playbooks?.length && { placeholder: 'All' })}
        value={[...(match.playbooks ?? [])]}
        onChange={(playbooks) => change({ playbooks })}
      />
    </>
  )
}

type SeverityBound = Match['severity_at_least']

interface SeverityProps {
  readonly label: string
  readonly value: SeverityBound
  readonly onChange: (value: SeverityBound) => void
}

const Severity = ({ label, value, onChange }: SeverityProps) => (
  <Select
    label={label}
    placeholder="Any"
    clearable
    data={selectOptions(severityLooks)}
    value={value ?? null}
    onChange={(chosen) => onChange(chosen)}
  />
)

interface ApproverFieldsProps {
  readonly prefix?: string
  readonly by: ApproversInForm
  readonly options: RuleOptions
  readonly onChange: (by: ApproversInForm) => void
}

function ApproverFields({ prefix = 'Approvers', by, options, onChange }: ApproverFieldsProps) {
  const known = new Set(options.approvers.map(({ value }) => value))
  const gone = namedOf(by)
    .filter((value) => !known.has(value))
    .map((value) => ({ value, label: value }))
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <MultiSelect
        label={`${prefix}: roles`}
        {...(!by.roles?.length && {
          placeholder: namedOf(by).length === 0 ? 'Anyone who may approve' : 'None',
        })}
        data={[...new Set([...options.roles, ...(by.roles ?? [])])]}
        value={[...(by.roles ?? [])]}
        onChange={(roles) => onChange({ ...by, roles })}
      />
      <MultiSelect
        label={`${prefix}: people and keys`}
        searchable
        limit={50}
        data={[...options.approvers, ...gone]}
        value={namedOf(by)}
        onChange={(values) => onChange(withNamed(by, values))}
      />
    </SimpleGrid>
  )
}
