package io.millrace;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.millrace.internal.engine.EngineRules;
import io.millrace.internal.plan.Topology;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

/** The rules of the core: a pure engine that reads no clock, draws nothing at random and talks to nobody. */
@AnalyzeClasses(packages = "io.millrace", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final Set<String> CLOCK_AND_RANDOMNESS = Set.of(
            "java.lang.System.currentTimeMillis",
            "java.lang.System.nanoTime",
            "java.lang.Thread.sleep",
            "java.lang.Math.random",
            "java.util.UUID.randomUUID",
            "java.util.Random.<init>",
            "java.util.Date.<init>");
    private static final Set<String> ENVIRONMENT =
            Set.of("java.lang.System.getenv", "java.lang.System.getProperty", "java.lang.System.exit");

    @ArchTest
    static final ArchRule dependsOnJavaJacksonAndJspecifyOnly = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.millrace..", "java..", "com.fasterxml.jackson..", "org.jspecify..")
            .because("the AWS SDK, loggers and all other libraries belong to the shell");

    @ArchTest
    static final ArchRule doesNoInputOrOutput = noClasses()
            .should()
            .dependOnClassesThat(
                    resideInAnyPackage("java.net..", "java.nio.file..", "java.nio.channels..", "javax.net..")
                            .or(type(java.io.File.class))
                            .or(simpleName("FileInputStream"))
                            .or(simpleName("FileOutputStream"))
                            .or(simpleName("RandomAccessFile"))
                            .or(simpleName("FileReader"))
                            .or(simpleName("FileWriter"))
                            .or(type(Process.class))
                            .or(type(ProcessBuilder.class)))
            .because("the core is pure");

    @ArchTest
    static final ArchRule readsNoResourceButClassFilesForTheTopology = noClasses()
            .that(DescribedPredicate.not(type(Topology.class)))
            .should()
            .callMethodWhere(named("reads a resource", Set.of("getResource", "getResourceAsStream", "getResources")));

    @ArchTest
    static final ArchRule readsNoClockAndDrawsNothingAtRandom = noClasses()
            .should()
            .callCodeUnitWhere(DescribedPredicate.describe(
                    "reads a clock or draws at random", ArchitectureTest::readsClockOrRandomness))
            .orShould()
            .dependOnClassesThat(type(java.util.concurrent.ThreadLocalRandom.class)
                    .or(type(java.security.SecureRandom.class))
                    .or(type(java.util.SplittableRandom.class))
                    .or(resideInAPackage("java.util.random..")))
            .because("clock, randomness and ids are given by the shell");

    @ArchTest
    static final ArchRule readsNoEnvironment = noClasses()
            .should()
            .callCodeUnitWhere(
                    DescribedPredicate.describe("reads the environment", call -> ENVIRONMENT.contains(nameOf(call))))
            .orShould()
            .accessFieldWhere(DescribedPredicate.describe("writes to the console", access -> isConsole(access)));

    @ArchTest
    static final ArchRule startsNoThread = noClasses()
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.util.concurrent..")
                    .and(DescribedPredicate.not(resideInAPackage("java.util.concurrent.atomic"))))
            .orShould()
            .callConstructorWhere(DescribedPredicate.describe(
                    "makes a thread", call -> call.getTargetOwner().isAssignableTo(Thread.class)))
            .because("the engine is a step function");

    @ArchTest
    static final ArchRule engineKnowsPlansButNoBuilders = noClasses()
            .that()
            .resideInAPackage("io.millrace.internal.engine..")
            .should()
            .dependOnClassesThat(builders());

    @ArchTest
    static final ArchRule planKnowsNeitherBuildersNorEngine = noClasses()
            .that()
            .resideInAPackage("io.millrace.internal.plan..")
            .should()
            .dependOnClassesThat(builders().or(resideInAPackage("io.millrace.internal.engine..")));

    @ArchTest
    static final ArchRule buildersDoNotKnowTheEngine = noClasses()
            .that()
            .resideInAnyPackage("io.millrace", "io.millrace.state", "io.millrace.serde")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.millrace.internal.engine..");

    @ArchTest
    static final ArchRule sinkKnowsOfTheInternalsOnlyItems = noClasses()
            .that()
            .resideInAPackage("io.millrace.sink")
            .should()
            .dependOnClassesThat(resideInAPackage("io.millrace.internal..")
                    .and(DescribedPredicate.not(resideInAPackage("io.millrace.internal.item"))));

    @ArchTest
    static final ArchRule itemsKnowNothingOfMillraceButItsException = noClasses()
            .that()
            .resideInAPackage("io.millrace.internal.item")
            .should()
            .dependOnClassesThat(resideInAPackage("io.millrace..")
                    .and(DescribedPredicate.not(resideInAPackage("io.millrace.internal.item")))
                    .and(DescribedPredicate.not(type(MillraceException.class))));

    @ArchTest
    static final ArchRule stateKnowsSerdesAndTheFunctionsInItOnly = classes()
            .that()
            .resideInAPackage("io.millrace.state")
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("io.millrace.state", "io.millrace.serde", "java..", "org.jspecify..")
                            .or(type(ReduceFunction.class))
                            .or(type(AggregateFunction.class)));

    @ArchTest
    static final ArchRule serdesKnowNothingOfMillraceButItsExceptionAndItsCollector = noClasses()
            .that()
            .resideInAPackage("io.millrace.serde")
            .should()
            .dependOnClassesThat(resideInAPackage("io.millrace..")
                    .and(DescribedPredicate.not(resideInAPackage("io.millrace.serde")))
                    .and(DescribedPredicate.not(type(MillraceException.class)))
                    .and(DescribedPredicate.not(type(Collector.class))));

    @ArchTest
    static final ArchRule engineFollowsTheProtocolsRulesOnly = classes()
            .that()
            .areAssignableTo(EngineRules.class)
            .should()
            .be(EngineRules.class)
            .because("broken rules belong to the simulation");

    /** The root package is no slice here: plans carry its functions and policies, serdes throw its exception. */
    @ArchTest
    static final ArchRule packagesBelowTheRootHaveNoCycle =
            slices().matching("io.millrace.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule internalIsUsedByMillraceOnly = classes()
            .that()
            .resideInAPackage("io.millrace..internal..")
            .should()
            .onlyHaveDependentClassesThat()
            .resideInAPackage("io.millrace..");

    @ArchTest
    static final ArchRule exceptionsHaveOneRoot =
            classes().that().areAssignableTo(RuntimeException.class).should().beAssignableTo(MillraceException.class);

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

    private static DescribedPredicate<JavaClass> builders() {
        return resideInAPackage("io.millrace")
                .and(simpleName("PipelineBuilder")
                        .or(simpleName("PipelineDefinition"))
                        .or(simpleName("PipelineDefinitionException"))
                        .or(simpleName("StageBuilder"))
                        .or(simpleName("DataStream"))
                        .or(simpleName("SourceStream"))
                        .or(simpleName("KeyedStream"))
                        .or(simpleName("StageStream"))
                        .or(simpleName("DataStreamSink"))
                        .or(simpleName("ReducingFunction"))
                        .or(simpleName("AggregatingFunction")))
                .as("builders of pipelines");
    }

    private static boolean readsClockOrRandomness(JavaCall<?> call) {
        boolean now = call.getTargetOwner().getPackageName().startsWith("java.time")
                && (call.getName().equals("now")
                        || (call.getTargetOwner().isEquivalentTo(java.time.Clock.class)
                                && (call.getName().startsWith("system")
                                        || call.getName().startsWith("tick"))));
        return now || CLOCK_AND_RANDOMNESS.contains(nameOf(call));
    }

    private static String nameOf(JavaAccess<?> access) {
        return access.getTargetOwner().getFullName() + "." + access.getName();
    }

    private static boolean isConsole(JavaAccess<?> access) {
        return access.getTargetOwner().isEquivalentTo(System.class)
                && (access.getName().equals("out") || access.getName().equals("err"));
    }

    private static DescribedPredicate<com.tngtech.archunit.core.domain.JavaMethodCall> named(
            String description, Set<String> names) {
        return DescribedPredicate.describe(
                description,
                call -> names.contains(call.getName())
                        && (call.getTargetOwner().isEquivalentTo(Class.class)
                                || call.getTargetOwner().isAssignableTo(ClassLoader.class)));
    }
}
