/** Tests that share one workbench: started once, photographed when one fails. */
import { after, before, suite, test } from "node:test";
import { startWorkbench, type Options, type Workbench } from "./workbench.ts";

type Scenario = (title: string, body: (bench: Workbench) => Promise<void>) => void;

/** A suite of scenarios that run in order, each where the one before has left the workbench. */
export function story(title: string, options: Options, tell: (scenario: Scenario) => void): void {
  suite(title, { timeout: 600_000 }, () => {
    let bench: Workbench | undefined;
    before(async () => {
      bench = await startWorkbench(options);
    });
    after(async () => {
      await bench?.close();
    });

    tell((name, body) => {
      test(name, { timeout: 180_000 }, async () => {
        if (!bench) {
          throw new Error("the workbench did not start");
        }
        try {
          await body(bench);
        } catch (error) {
          const shot = await bench.shot(`FAILED ${name.replace(/\W+/g, "-")}`);
          throw new Error(`${error instanceof Error ? error.message : String(error)}\nscreenshot: ${shot}`, { cause: error });
        }
      });
    });
  });
}
