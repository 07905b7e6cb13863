import type { Value as ProtoValue } from '@bufbuild/cel-spec/cel/expr/value_pb.js'
import type { SimpleTest } from '@bufbuild/cel-spec/cel/expr/conformance/test/simple_pb.js'
import { getConformanceSuite, type IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js'
import { DurationSchema, TimestampSchema, anyUnpack } from '@bufbuild/protobuf/wkt'
import {
  Duration,
  MapValue,
  Timestamp,
  typeValues,
  TypeValue,
  type MapKey,
  type Value,
} from '../../../core/expression/values/values.ts'

/** One test of Google's conformance data. */
export interface ConformanceTest {
  /** `file/section/name`, numbered if a name occurs twice. */
  readonly id: string
  readonly test: SimpleTest
}

/** Files about unsupported features. */
const filesOutside: Readonly<Record<string, string>> = {
  block_ext: 'cel.block is made by optimisers, not written',
  enums: 'no protobuf enums',
  network_ext: 'addresses and networks are strings, not types of their own',
  proto2: 'no protobuf messages',
  proto2_ext: 'no protobuf messages',
  proto3: 'no protobuf messages',
  dynamic: 'no protobuf messages',
  wrappers: 'no protobuf messages',
  encoders_ext: 'no bytes',
  namespace: 'no containers, no names with dots',
  unknowns: 'no partial evaluation',
}

/** Sections about unsupported features in supported files. */
const sectionsOutside: Readonly<Record<string, string>> = {
  'comparisons/eq_wrapper': 'no protobuf messages',
  'conversions/bytes': 'no bytes',
  'conversions/uint': 'no uint',
  'fields/qualified_identifier_resolution': 'no names with dots',
  'integer_math/uint64_math': 'no uint',
  'parse/bytes_literals': 'no bytes',
  'parse/struct_field_names': 'no protobuf messages',
  'string/bytes_concat': 'no bytes',
  'type_deductions/wrappers': 'no protobuf messages',
  'type_deductions/legacy_nullable_types': 'no protobuf messages',
}

const outsideExpression =
  /\b\d+u\b|\b0x[0-9a-f]+u\b|\buint\b|\bbytes\b|(?<![\w"'])[rR]?[bB][rR]?["']|TestAllTypes|google\.protobuf\.(?!Timestamp\b|Duration\b)|google\.protobuf\.(Timestamp|Duration)\s*\{|\bproto\.|\bNestedTestAllTypes/

/** Why a test is outside of the profile; undefined if it is inside. */
function outside(file: string, section: string, test: SimpleTest): string | undefined {
  const known = filesOutside[file] ?? sectionsOutside[`${file}/${section}`]
  if (known !== undefined) return known
  if (test.checkOnly) return 'only about the types that a checker of CEL infers'
  if (test.container !== '') return 'no containers'
  if (outsideExpression.test(test.expr)) return 'no bytes, uint or protobuf messages'
  if (Object.keys(test.bindings).some((name) => name.includes('.'))) return 'no names with dots'
  const values = [
    ...Object.values(test.bindings).map((binding) =>
      binding.kind.case === 'value' ? binding.kind.value : undefined,
    ),
    test.resultMatcher.case === 'value' ? test.resultMatcher.value : undefined,
    test.resultMatcher.case === 'typedResult' ? test.resultMatcher.value.result : undefined,
  ]
  return values.some((value) => value !== undefined && !hasValue(value))
    ? 'no bytes, uint or protobuf messages'
    : undefined
}

function hasValue(value: ProtoValue): boolean {
  try {
    fromProto(value)
    return true
  } catch {
    return false
  }
}

/** All tests of the profile, and the number of excluded tests by reason. */
export function conformanceTests(): { tests: ConformanceTest[]; left: Map<string, number> } {
  const tests: ConformanceTest[] = []
  const left = new Map<string, number>()
  const seen = new Map<string, number>()
  const visit = (suite: IncrementalTestSuite, path: readonly string[]): void => {
    for (const { original } of suite.tests) {
      const reason = outside(path[0]!, path[1] ?? '', original)
      if (reason !== undefined) {
        left.set(reason, (left.get(reason) ?? 0) + 1)
        continue
      }
      const name = [...path, original.name || original.expr].join('/')
      const count = (seen.get(name) ?? 0) + 1
      seen.set(name, count)
      tests.push({ id: count === 1 ? name : `${name}#${count}`, test: original })
    }
    for (const inner of suite.suites) visit(inner, [...path, inner.name])
  }
  for (const file of getConformanceSuite().suites) visit(file, [file.name])
  return { tests, left }
}

/** A value of the test data as a value of the evaluator. Throws for unsupported values. */
export function fromProto({ kind }: ProtoValue): Value {
  switch (kind.case) {
    case 'nullValue':
      return null
    case 'boolValue':
    case 'doubleValue':
    case 'stringValue':
    case 'int64Value':
      return kind.value
    case 'typeValue':
      return typeValues.get(kind.value) ?? new TypeValue(kind.value)
    case 'listValue':
      return kind.value.values.map(fromProto)
    case 'mapValue': {
      const entries = kind.value.entries.map(
        ({ key, value }) => [fromProto(key!) as MapKey, fromProto(value!)] as const,
      )
      if (entries.every(([key]) => typeof key === 'string')) {
        return Object.assign(Object.create(null) as object, Object.fromEntries(entries))
      }
      return new MapValue(new Map(entries))
    }
    case 'objectValue': {
      const timestamp = anyUnpack(kind.value, TimestampSchema)
      if (timestamp) return new Timestamp(Number(timestamp.seconds), timestamp.nanos)
      const duration = anyUnpack(kind.value, DurationSchema)
      if (duration) return new Duration(Number(duration.seconds), duration.nanos)
      throw new Error('no protobuf messages')
    }
    default:
      throw new Error(`no ${kind.case}`)
  }
}
