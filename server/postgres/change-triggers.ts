import type { ChangeKind } from '../../core/domain/change.ts'
import { watchedTables, type NotedChange } from '../sql/database/changes.ts'

/**
 * Bounds what a transaction notes, in characters: about a thousand rows. A transaction that changes more notes only that it changed many,
 * so that a bulk change stays cheap.
 */
const maxNoted = 16_384

/**
 * Triggers that note changes in the setting `tocsin.changes` of the transaction, one line per row. The driver reads it just before COMMIT. They
 * are triggers of rows: with `UPDATE OF`, updates of other columns cost nothing, and a rollback to a savepoint takes back what was noted.
 */
export function changeTriggers(): string {
  return [dropAll, ...watchedTables.map(triggersOf)].join('\n')
}

/** Reads the value of `tocsin.changes`, which is empty or null if nothing was noted. */
export function parseChanges(noted: string | null): readonly NotedChange[] | 'many' {
  if (noted === null) return []
  if (noted === 'many') return noted
  return noted.split('\n').slice(0, -1).map(parseChange)
}

/** Stands for the organization of the row. */
const ownOrganization = '?'

function parseChange(line: string): NotedChange {
  const [kind = '', key, organization = ''] = line.split(' ')
  return {
    kind: kind as ChangeKind,
    organization:
      organization === ownOrganization ? undefined : organization === '' ? null : Number(organization),
    key: Number(key),
  }
}

/** Also drops triggers of tables that are no longer watched. */
const dropAll = `
DO $$ DECLARE old regprocedure; BEGIN
  FOR old IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'note\\_%\\_change' LOOP
    EXECUTE 'DROP FUNCTION ' || old || ' CASCADE';
  END LOOP;
END $$;`

function triggersOf({
  table,
  kind,
  columns,
  organization,
  key = 'row.id',
  alsoNew,
  when,
}: (typeof watchedTables)[number]): string {
  const update =
    columns === undefined ? ' OR UPDATE' : columns.length === 0 ? '' : ` OR UPDATE OF ${columns.join(', ')}`
  const trigger = (event: string, row: 'NEW' | 'OLD'): string => {
    const inRow = (sql: string): string => sql.replaceAll(/\brow\b/g, row)
    const name = `note_${row.toLowerCase()}_${table}_change`
    const also =
      row === 'NEW' && alsoNew !== undefined
        ? note(kind, organization && inRow(organization), inRow(alsoNew), `TG_OP = 'INSERT' AND`)
        : ''
    return `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE noted text := coalesce(current_setting('tocsin.changes', true), ''); line text;
BEGIN${note(kind, organization && inRow(organization), inRow(key))}${also}
  RETURN NULL;
END $$;
CREATE TRIGGER ${name} AFTER ${event} ON ${table} FOR EACH ROW ${when === undefined ? '' : `WHEN (${inRow(when)}) `}EXECUTE FUNCTION ${name}();`
  }
  return `${trigger(`INSERT${update}`, 'NEW')}${trigger('DELETE', 'OLD')}`
}

/** Of expressions that PL/pgSQL computes without a query, which would cost ten times as much. Notes nothing if the key is null. */
const note = (kind: ChangeKind, organization: string | undefined, key: string, condition = ''): string => `
  line := '${kind} ' || ${key} || ' ' || ${organization === undefined ? `'${ownOrganization}'` : `coalesce(CAST(${organization} AS text), '')`} || E'\\n';
  IF ${condition} noted <> 'many' AND strpos(noted, line) = 0 THEN
    noted := set_config('tocsin.changes', CASE WHEN length(noted) > ${maxNoted} THEN 'many' ELSE noted || line END, true);
  END IF;`
