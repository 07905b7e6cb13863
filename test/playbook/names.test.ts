import { expect } from 'chai'
import { notInvestigated, type Alert } from '../../core/domain/alert.ts'
import { compileExpression, dyn, type Type } from '../../core/expression/index.ts'
import { alertScope, organizationScope } from '../../core/engine/scope/alert-scope.ts'
import { reservedNames } from '../../core/playbook/language/constants.ts'
import { errorNames, queueNames, runNames } from '../../core/playbook/scope/scope.ts'

const alert: Alert = {
  ...notInvestigated,
  id: 'ACME-siem-1',
  uuid: '0197d3c0-0000-7000-8000-000000000001',
  type: 'phishing',
  provider: 'siem',
  content: '{"risk": 70}',
  organizationUuid: 'o',
  organizationCode: 'ACME',
  createdAtSource: 1_767_225_600n,
  createdBy: 'k',
  createdAt: 1_767_225_600_000,
  modifiedAt: 1_767_225_600_000,
}

const fieldsOf = (type: Type | undefined) => (type?.kind === 'object' ? [...type.properties.keys()] : [])

describe('the names in expressions', () => {
  const declared = runNames({ alertData: dyn, inputs: dyn })
  const given = {
    alert: alertScope(alert),
    organization: organizationScope({ uuid: 'o', code: 'ACME', name: 'Acme', revision: 1, createdAt: 0 }),
  }

  it('are declared as the investigation provides them', () => {
    expect(Object.keys(given.alert).toSorted()).to.deep.equal(fieldsOf(declared['alert']).toSorted())
    expect(Object.keys(given.organization).toSorted()).to.deep.equal(
      fieldsOf(declared['organization']).toSorted(),
    )
  })

  it('have values of the declared types', () => {
    const holds = (expression: string) => compileExpression(expression, declared).program?.evaluate(given)
    expect(holds('alert.created_at + 1 > 1767225600000')).to.equal(true)
    expect(holds('alert.created_at_source != null && alert.created_at_source + 1 > 5')).to.equal(true)
    expect(
      holds('alert.id + alert.uuid + alert.type + alert.provider + alert.content + organization.code != ""'),
    ).to.equal(true)
    expect(holds('alert.data.risk == 70')).to.equal(true)
  })

  it('cannot be used by `as`', () => {
    const all = [
      ...Object.keys(declared),
      ...Object.keys(queueNames({ alertData: dyn, inputs: undefined })),
      ...Object.keys(errorNames),
      'steps',
      'index',
    ]
    for (const name of all) expect(reservedNames).to.include(name)
  })
})
