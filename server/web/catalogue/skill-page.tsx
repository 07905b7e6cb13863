import { Badge, Grid, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { apiGet } from '../api/call.ts'
import type { ApiSkillDetail } from '../api/types.ts'
import { FieldGrid, PageLoading, Section, TextLink } from '../parts/layout.tsx'
import { OutsideText, Command, JsonView } from '../parts/text-view.tsx'
import { ViewError, ViewHead } from '../shell/view.tsx'
import { TrySkill } from './try-skill.tsx'
import { EffectBadge, SchemaTable, VendorDocs } from './catalogue-parts.tsx'

/** One skill: its inputs, outputs and examples. */
export default function SkillPage() {
  const { id } = useParams<{ id: string }>()
  const skill = useQuery({
    queryKey: ['skill', id],
    queryFn: () => apiGet<ApiSkillDetail>(`/skills/${encodeURIComponent(id)}`),
    staleTime: Infinity,
  })
  if (skill.isPending) return <PageLoading />
  if (skill.isLoadingError) return <ViewError error={skill.error} onRetry={() => void skill.refetch()} />
  return <SkillView key={id} skill={skill.data} />
}

function SkillView({ skill }: { readonly skill: ApiSkillDetail }) {
  const { title, description, input, output, examples } = skill
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead title={title} states={<EffectBadge skill={skill} />} about={description} />
      <Facts skill={skill} />
      <Grid gap="var(--tocsin-gap)">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="var(--tocsin-gap)">
            <SchemaTable title="Inputs" schema={input} required="required" />
            <SchemaTable title="Outputs" schema={output} optional="may be absent" />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="var(--tocsin-gap)">
            {!isAnInterface(skill) && <TrySkill skill={skill} />}
            {examples.map((example) => (
              <Example key={example.title} example={example} />
            ))}
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

/** The handling of an interrupted write, by repeat class. */
const repeatTexts = {
  safe: 'repeated, without a second effect',
  verify: 'the other system is asked whether it took effect',
  never: 'a person decides',
} as const

const isAnInterface = ({ plugin }: ApiSkillDetail): boolean => plugin === 'interface'

const skillLinks = (names: readonly string[]) =>
  names.length > 0 && (
    <Group key="skills" gap="xs">
      {names.map((name) => (
        <TextLink key={name} href={`/catalogue/skills/${name}`}>
          {name}
        </TextLink>
      ))}
    </Group>
  )

function Facts({ skill }: { readonly skill: ApiSkillDetail }) {
  const { name, plugin, plugin_title: vendor, repeat, destructive, enriches, docs, permissions } = skill
  const isInterface = isAnInterface(skill)
  return (
    <FieldGrid
      entries={[
        ['Name in playbooks', name],
        [
          'Plugin',
          !isInterface && (
            <TextLink key="plugin" href={`/catalogue/plugins/${plugin}`}>
              {vendor}
            </TextLink>
          ),
        ],
        ['Implemented by', isInterface && skillLinks(skill.implemented_by)],
        ['Connection', !isInterface && (skill.needs_connection ? 'required' : 'not required')],
        ['Permissions', permissions.join(', ')],
        ['After an interruption', repeat !== null && repeatTexts[repeat]],
        ['Hourly limit', destructive !== null && `of the class “${destructive}”`],
        ['Undone by', skill.undone_by !== null && <SkillLink key="undo" name={skill.undone_by} />],
        ['Cannot be undone', skill.irreversible],
        ['Ends', skill.restores && 'a containment or a block'],
        ['State read by', skill.state_by !== null && <SkillLink key="state" name={skill.state_by} />],
        ['State cannot be read', skill.state_unreadable],
        ['Followed by', skill.follow_with !== null && <SkillLink key="follow" name={skill.follow_with} />],
        ['Called by', skill.asks && 'checkpoints only'],
        ['Looks up', enriches.join(', ')],
        ['Implements', skillLinks(skill.implements.map((each) => `interface.${each}`))],
        ['Documentation', docs !== null && <VendorDocs key="docs" href={docs} />],
      ]}
    />
  )
}

function SkillLink({ name }: { readonly name: string }) {
  return <TextLink href={`/catalogue/skills/${name}`}>{name}</TextLink>
}

function Example({ example }: { readonly example: ApiSkillDetail['examples'][number] }) {
  const { title, source, synthetic, input, output, step } = example
  return (
    <Section title={title} actions={synthetic && <Badge color="gray">Made-up data</Badge>}>
      <Stack gap="sm">
        {source !== null && <OutsideText text={`Recorded from ${source}`} c="dimmed" />}
        <Text size="sm" fw={600}>
          Step for a playbook
        </Text>
        <Command text={step} label={`Step: ${title}`} />
        <JsonView value={input} label={`Input: ${title}`} title="Input" level={3} />
        <JsonView value={output} label={`Output: ${title}`} title="Output" level={3} />
      </Stack>
    </Section>
  )
}
