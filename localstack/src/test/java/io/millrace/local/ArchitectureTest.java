package io.millrace.local;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.millrace.MillraceException;
import io.millrace.aws.CheckpointHandler;
import io.millrace.aws.MillraceFunction;
import io.millrace.aws.TickHandler;
import io.millrace.aws.internal.ShellRules;
import io.millrace.aws.internal.Surroundings;
import io.millrace.internal.engine.EngineRules;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;

/**
 * The rules of the shell and of the embedded AWS. They stand here and not beside the shell, since only here are both at
 * hand.
 */
@AnalyzeClasses(packages = "io.millrace", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String SHELL = "io.millrace.aws..";
    private static final String EMBEDDED_AWS = "io.millrace.local.internal..";
    private static final String[] CORE = {
        "io.millrace", "io.millrace.internal..", "io.millrace.serde..", "io.millrace.sink..", "io.millrace.state.."
    };

    private static final Set<String> CLOCKS_RANDOMNESS_AND_WAITING = Set.of(
            "java.lang.System.currentTimeMillis",
            "java.lang.System.nanoTime",
            "java.lang.Thread.sleep",
            "java.lang.Object.wait",
            "java.lang.Math.random",
            "java.util.UUID.randomUUID",
            "java.util.Random.<init>",
            "java.util.Date.<init>",
            "java.util.random.RandomGenerator.getDefault",
            "java.util.random.RandomGenerator.of",
            "java.util.concurrent.locks.LockSupport.parkNanos",
            "java.util.concurrent.locks.LockSupport.parkUntil");
    private static final Set<String> ENVIRONMENT =
            Set.of("java.lang.System.getenv", "java.lang.System.getProperty", "java.lang.System.exit");

    @ArchTest
    static final ArchRule awsTypesDoNotLeakIntoTheCore = noClasses()
            .that()
            .resideInAnyPackage(CORE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("software.amazon..", "com.amazonaws..", SHELL, "io.millrace.local..")
            .because("the core is pure");

    /** What runs on Lambda: time, randomness and waiting are passed in, and the time left is the Lambda context's. */
    @ArchTest
    static final ArchRule shellReadsClockAndRandomnessInItsSurroundingsOnly = noClasses()
            .that()
            .resideInAPackage(SHELL)
            .and(DescribedPredicate.not(belongToAnyOf(Surroundings.class)))
            .should()
            .accessTargetWhere(readsClockOrRandomnessOrWaits())
            .orShould()
            .dependOnClassesThat(sourcesOfRandomness())
            .because("a test must be able to decide them");

    @ArchTest
    static final ArchRule shellReadsTheEnvironmentInItsEntryPointsOnly = noClasses()
            .that()
            .resideInAPackage(SHELL)
            .and(DescribedPredicate.not(
                    belongToAnyOf(MillraceFunction.class, TickHandler.class, CheckpointHandler.class)))
            .should()
            .accessTargetWhere(DescribedPredicate.describe(
                    "reads the environment", (JavaAccess<?> access) -> ENVIRONMENT.contains(nameOf(access))));

    @ArchTest
    static final ArchRule shellWritesToItsLoggerOnly = noClasses()
            .that()
            .resideInAPackage(SHELL)
            .should()
            .accessTargetWhere(DescribedPredicate.describe(
                    "writes to the console",
                    (JavaAccess<?> access) -> access.getTargetOwner().isEquivalentTo(System.class)
                            && (access.getName().equals("out")
                                    || access.getName().equals("err"))));

    @ArchTest
    static final ArchRule embeddedServicesAreGivenTheirClock = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.millrace.local.internal.dynamodb..",
                    "io.millrace.local.internal.kinesis..",
                    "io.millrace.local.internal.s3..")
            .should()
            .accessTargetWhere(readsClockOrRandomnessOrWaits())
            .orShould()
            .dependOnClassesThat(sourcesOfRandomness())
            .because("what they answer must follow from the requests and the clock given to them");

    @ArchTest
    static final ArchRule internalsOfTheShellAreUsedByTheShellAndTheLocalCloudOnly = classes()
            .that()
            .resideInAPackage("io.millrace.aws.internal..")
            .should()
            .onlyHaveDependentClassesThat()
            .resideInAnyPackage(SHELL, "io.millrace.local", "io.millrace.local.testing", EMBEDDED_AWS);

    @ArchTest
    static final ArchRule embeddedAwsIsNotMadeOfWhatIsTestedAgainstIt = noClasses()
            .that()
            .resideInAPackage(EMBEDDED_AWS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    SHELL, "io.millrace.internal..", "io.millrace.serde..", "io.millrace.sink..", "io.millrace.state..")
            .because("a mistake in what both share would be seen by neither");

    @ArchTest
    static final ArchRule functionsFollowTheProtocolsRulesOnly = classes()
            .that()
            .areAssignableTo(EngineRules.class)
            .or()
            .areAssignableTo(ShellRules.class)
            .should(com.tngtech.archunit.lang.conditions.ArchConditions.be(
                    belongToAnyOf(EngineRules.class, ShellRules.class)))
            .because("broken rules belong to the simulation");

    @ArchTest
    static final ArchRule exceptionsOfTheShellHaveOneRoot = classes()
            .that()
            .resideInAPackage(SHELL)
            .and()
            .areAssignableTo(RuntimeException.class)
            .should()
            .beAssignableTo(MillraceException.class);

    @ArchTest
    static final ArchRule classesAreNamedByNouns = noClasses()
            .should()
            .haveSimpleNameEndingWith("Manager")
            .orShould()
            .haveSimpleNameEndingWith("Util")
            .orShould()
            .haveSimpleNameEndingWith("Utils")
            .orShould()
            .haveSimpleNameEndingWith("Helper");

    @ArchTest
    static final ArchRule packagesAreNullMarked = classes()
            .should(com.tngtech.archunit.lang.conditions.ArchConditions.be(DescribedPredicate.describe(
                    "in a package that is marked @NullMarked",
                    (JavaClass clazz) -> clazz.getPackage().isAnnotatedWith(NullMarked.class))));

    /** Method references count like calls. */
    private static DescribedPredicate<JavaAccess<?>> readsClockOrRandomnessOrWaits() {
        return DescribedPredicate.describe("reads a clock, draws at random or waits", access -> {
            JavaClass owner = access.getTargetOwner();
            boolean now = owner.getPackageName().startsWith("java.time")
                    && (access.getName().equals("now")
                            || (owner.isEquivalentTo(java.time.Clock.class)
                                    && (access.getName().startsWith("system")
                                            || access.getName().startsWith("tick"))));
            boolean sleeps =
                    owner.isEquivalentTo(TimeUnit.class) && access.getName().equals("sleep");
            return now || sleeps || CLOCKS_RANDOMNESS_AND_WAITING.contains(nameOf(access));
        });
    }

    private static DescribedPredicate<JavaClass> sourcesOfRandomness() {
        return type(java.util.concurrent.ThreadLocalRandom.class)
                .or(type(java.security.SecureRandom.class))
                .or(type(java.util.SplittableRandom.class))
                .or(type(java.util.random.RandomGeneratorFactory.class))
                .or(type(java.util.concurrent.ScheduledExecutorService.class))
                .as("sources of randomness or of waiting");
    }

    private static String nameOf(JavaAccess<?> access) {
        return access.getTargetOwner().getFullName() + "." + access.getName();
    }
}
