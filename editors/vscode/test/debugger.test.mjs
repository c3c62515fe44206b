// `texunit dap` by the test support of VS Code's authors: jobs of tests/debug, as an editor debugs them.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import testsupport from "@vscode/debugadapter-testsupport";

const texunit = resolve(process.env.TEXUNIT ?? "../../target/debug/texunit");
const folder = resolve("../../tests/debug");
const out = mkdtempSync(join(tmpdir(), "texunit-dap-"));
let client;

beforeEach(async () => {
    client = new testsupport.DebugClient(texunit, "dap", "texunit", { cwd: folder }, true);
    client.defaultTimeout = 20000;
    await client.start();
});

afterEach(() => client.stop());

const job = (name, more = {}) => ({ program: join(folder, `${name}.toml`), out, ...more });
const source = (name) => join(folder, name);
const lineOf = (file, text) => readFileSync(source(file), "utf8").split("\n").findIndex((line) => line.includes(text)) + 1;

/** Runs to a line; the first frame. No module is loaded before the launch, so the breakpoint is verified later. */
async function runsTo(name, file, line, condition) {
    const at = { source: { path: source(file) }, breakpoints: [{ line, condition }] };
    const [, stopped] = await Promise.all([
        client.waitForEvent("initialized").then(() => client.setBreakpointsRequest(at)).then(() => client.configurationDoneRequest()),
        client.waitForEvent("stopped"),
        client.launch(job(name)),
    ]);
    assert.equal(stopped.body.reason, "breakpoint");
    const { body } = await client.stackTraceRequest({ threadId: stopped.body.threadId });
    assert.equal(body.stackFrames[0].line, line);
    return body.stackFrames[0];
}

const steps = async (command, threadId = 1) => {
    const [stopped] = await Promise.all([client.waitForEvent("stopped"), client.send(command, { threadId })]);
    const { body } = await client.stackTraceRequest({ threadId: stopped.body.threadId });
    return [stopped.body.reason, body.stackFrames[0].line];
};

async function locals(frame) {
    const { body } = await client.scopesRequest({ frameId: frame.id });
    const scope = body.scopes.find((scope) => scope.name === "Locals");
    const inside = await client.variablesRequest({ variablesReference: scope.variablesReference });
    return Object.fromEntries(inside.body.variables.map((variable) => [variable.name, variable]));
}

/** Lets it go on to its end, whatever it still stops at. */
function ends() {
    client.on("stopped", () => client.continueRequest({ threadId: 1 }));
    return Promise.all([client.waitForEvent("terminated"), client.continueRequest({ threadId: 1 })]);
}

test("what the adapter can do", async () => {
    const { body } = await client.initializeRequest();
    for (const name of ["StepBack", "DataBreakpoints", "LogPoints", "ConditionalBreakpoints", "FunctionBreakpoints"])
        assert.equal(body[`supports${name}`] ?? body[`supports${name}Request`], true, name);
});

test("a request that no adapter knows is refused", async () => {
    await client.initializeRequest();
    await assert.rejects(client.send("no-such-request", {}));
    await assert.rejects(client.launchRequest({}));
});

test("a job runs to its end", async () => {
    const all = Promise.all([client.configurationSequence(), client.launch(job("dbg")), client.waitForEvent("terminated")]);
    await all;
});

test("the first launch stops where it begins", async () => {
    await Promise.all([
        client.configurationSequence(),
        client.launch(job("dbg", { stopOnEntry: true })),
        client.waitForEvent("stopped").then(({ body }) => assert.equal(body.reason, "entry")),
    ]);
    await ends();
});

test("variables of nvcc -G, and back", async () => {
    const line = lineOf("shift.cu", "out[i - 30] = -1.0f;");
    const frame = await runsTo("shift", "shift.cu", line, "blockIdx.x == 1");
    assert.equal((await locals(frame)).i.value, "63");
    const told = await client.evaluateRequest({ expression: "out[i - 30]", frameId: frame.id });
    assert.equal(told.body.result, "15.5");
    assert.deepEqual(await steps("stepBack"), ["step", line - 1]);
    assert.deepEqual(await steps("next"), ["breakpoint", line]);
    await ends();
});

for (const [name, file, text, variable, value] of [
    ["clang", "clang.cu", "out[t] = all;", "row", "{3, 10, 9}"],
    ["rustc", "rustc.rs", "let twice = ", "pair", "{first = 3, second = 3}"],
])
    test(`variables of ${name}`, async () => {
        const frame = await runsTo(name, file, lineOf(file, text), "t == 3");
        const found = (await locals(frame))[variable];
        assert.equal(found.value, value);
        const inside = await client.variablesRequest({ variablesReference: found.variablesReference });
        assert.ok(inside.body.variables.length >= 2);
        await ends();
    });

for (const [name, file, text] of [
    ["gcc", "gcc.c", "int big = half"],
    ["triton", "triton_kernel.py", "return doubled"],
    ["lineinfo", "dbg.cu", "tile[threadIdx.x] = p.b;"],
])
    test(`lines of ${name}`, async () => {
        await runsTo(name, file, lineOf(file, text), "threadIdx.x == 3");
        const [reason, line] = await steps("next");
        assert.equal(reason, "step");
        assert.ok(line > 0);
        await ends();
    });

test("a fault is an exception", async () => {
    await Promise.all([
        client.waitForEvent("initialized")
            .then(() => client.setExceptionBreakpointsRequest({ filters: ["fault"] }))
            .then(() => client.configurationDoneRequest()),
        client.launch(job("fault")),
        client.waitForEvent("stopped").then(({ body }) => assert.equal(body.reason, "exception")),
    ]);
    const { body } = await client.send("exceptionInfo", { threadId: 1 });
    assert.match(body.description, /out of bounds/);
});

test("a finding of a check is an exception", async () => {
    await Promise.all([
        client.configurationSequence(),
        client.launch(job("race", { check: "race" })),
        client.waitForEvent("stopped").then(({ body }) => {
            assert.equal(body.reason, "exception");
            assert.match(body.text, /race-read-after-write/);
        }),
    ]);
    await ends();
});
